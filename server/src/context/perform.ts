import { type BulkMode, type BulkResult, type Ctx, Failure, failureBody, type PlannedCall } from '@chowk/kit/kernel';
import type { AuditEntry } from '../actions/audit-log.ts';
import { type Call, callAction, outputValue } from '../actions/call.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { databaseFailure } from '../db/failures.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { copyInput } from './bus.ts';
import type { ContextOptions } from './context-options.ts';

interface Request {
  readonly name: string;
  readonly input: object;
  /** Default: the call has no audit entry of its own. */
  readonly isAudited?: boolean;
  createContext(auditEntry: AuditEntry | undefined): ReturnType<Call['createContext']>;
}

interface Performed {
  readonly action: RegisteredAction;
  readonly output: unknown;
  readonly ignoredFields: readonly string[];
}

/** Calls an action of the module whose code runs, for the same user. */
export async function performAction(
  kernel: Kernel,
  { module, auditEntry: outer, requestId, tenant, user, membership, system }: ContextOptions,
  { name, input, isAudited = false, createContext }: Request,
): Promise<Performed> {
  const action = kernel.actionsByName.get(name);
  if (!action || action.module !== module) throw new Error(`the module ${module} has no action ${name}`);
  const ignoredFields: string[] = [];
  const call: Call = {
    action,
    transport: outer?.transport ?? 'system',
    requestId,
    tenant,
    caller: user,
    membership,
    system,
    isAudited: isAudited && action.isAudited,
    knownInput: input,
    ignoredFields,
    readInput: () => copyInput(input),
    createContext,
  };
  return { action, ignoredFields, output: outputValue(await callAction(kernel, call)) };
}

export interface EachOptions<Item> {
  readonly mode: BulkMode;
  plan(ctx: Ctx, item: Item): Promise<PlannedCall>;
}

interface ItemContext extends Ctx {
  withAuditEntry(auditEntry: AuditEntry | undefined): ReturnType<Call['createContext']>;
}

/** Calls an action for each item, in a transaction for each, or in one for all of them. */
export async function performEach<Item>(
  kernel: Kernel,
  options: ContextOptions,
  { ctx, items, mode, plan }: EachOptions<Item> & { readonly ctx: ItemContext; readonly items: readonly Item[] },
): Promise<BulkResult[]> {
  const performItem = (scope: ItemContext, item: Item) =>
    scope.tx(async (tx) => {
      const planned = await plan(tx, item);
      if ('id' in planned) return { status: 200, id: planned.id };
      const { action: name, input } = planned;
      const request = {
        name,
        input,
        isAudited: true,
        createContext: (entry: AuditEntry | undefined) => tx.withAuditEntry(entry),
      };
      return describe(await performAction(kernel, options, request));
    });
  const performAll = async (scope: ItemContext) => {
    const results: BulkResult[] = [];
    for (const [index, item] of items.entries()) {
      results.push({ index, ...(await performItem(scope, item).catch(describeFailure)) });
    }
    return results;
  };
  if (mode === 'each') return performAll(ctx);
  return ctx.tx(async (tx) => {
    const results = await performAll(tx);
    const failed = results.filter(({ error }) => error).length;
    if (failed === 0) return results;
    const body = { results: results.map((result) => (result.error ? result : notApplied(result))) };
    throw fail('http.bulk_failed', { failed, total: items.length }, { body });
  });
}

type Outcome = Omit<BulkResult, 'index'>;
type BulkError = NonNullable<BulkResult['error']>;

function describe({ action, output, ignoredFields }: Performed): Outcome {
  const { status = 200 } = action.answer ?? {};
  const id = findId(output);
  return {
    status: typeof status === 'function' ? status(output) : status,
    ...(id === undefined ? {} : { id }),
    ...(ignoredFields.length > 0 ? { ignored_fields: [...ignoredFields] } : {}),
  };
}

/** The id of the record, which is the output or a field of it. */
function findId(output: unknown): string | undefined {
  const records = [output, ...Object.values(output ?? {})] as ({ id?: unknown } | null | undefined)[];
  const ids = records.map((record) => record?.id);
  return ids.find((id) => typeof id === 'string');
}

/** Anything but a failure of the item ends the whole call. */
function describeFailure(error: unknown): Outcome {
  const failure = error instanceof Failure ? error : databaseFailure(error);
  if (!failure || failure.status >= 500) throw error;
  return { status: failure.status, error: failureBody(failure) as BulkError };
}

function notApplied({ index }: BulkResult): BulkResult {
  const failure = fail('http.not_applied');
  return { index, status: failure.status, error: failureBody(failure) as BulkError };
}
