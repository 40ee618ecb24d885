import { type Ctx, Failure, Issues, invalid, type Log } from '@chowk/kit';
import type { FieldErrors, Validator } from '../validation.ts';
import type { AuditLog, AuditRecord } from './audit-log.ts';
import type { RegisteredAction } from './registry.ts';

/** One call of an action that its caller may make. */
export interface Performance {
  readonly action: RegisteredAction;
  /** The context of the action's module. */
  readonly ctx: Ctx;
  readonly input: unknown;
  /** Reads the input. Default: as a value that is no text. */
  readonly validate?: Validator;
  /** The line of the audit log, where the call leaves one. */
  readonly record?: AuditRecord | undefined;
  /** Takes the names of fields that were ignored. */
  readonly ignored?: string[];
}

/** Checks the input, runs the action and completes the audit line: the same for every transport. */
export function perform(audit: AuditLog, performance: Performance): Promise<unknown> {
  const { record } = performance;
  return record ? audited(audit, record, () => run(performance)) : run(performance);
}

/** Completes the audit line of some work, where it leaves one. */
export async function audited<Output>(
  audit: AuditLog,
  record: AuditRecord | undefined,
  work: () => Promise<Output>,
): Promise<Output> {
  if (!record) return work();
  try {
    const output = await work();
    audit.end(record, { output });
    return output;
  } catch (error) {
    audit.fail(record, error);
    throw error;
  }
}

function run(performance: Performance): Promise<unknown> {
  const { admit, explain } = performance.action;
  return admit || explain ? runExplained(performance) : runPlain(performance);
}

async function runExplained(performance: Performance): Promise<unknown> {
  const { action, ctx } = performance;
  if (action.admit) await action.admit(ctx);
  try {
    return await runPlain(performance);
  } catch (error) {
    const errors = error instanceof Failure && error.status === 422 ? error.extras.errors : undefined;
    throw errors ? await refusal(performance, errors) : error;
  }
}

/** Not `async`: most calls need no promise but that of the action. */
function runPlain({ action, ctx, input, ignored = [], validate = action.validate }: Performance): Promise<unknown> {
  const wrong = validate(input, ignored);
  if (wrong) throw invalid(wrong);
  return action.run(ctx, input);
}

/** 422 with all that is wrong: what was found so far, and what the action itself can tell of the rest. */
async function refusal({ action, ctx, input }: Performance, errors: Readonly<FieldErrors>): Promise<Failure> {
  const issues = new Issues();
  issues.addAll(errors);
  try {
    await action.explain?.(ctx, withoutFields(input, Object.keys(errors)), issues);
  } catch (error) {
    if (!(error instanceof Failure)) logFailure(ctx.log, action.name, error);
    else issues.addAll(error.extras.errors);
  }
  return issues.failure;
}

function logFailure(log: Log, action: string, error: unknown): void {
  log.error({ err: error, action }, 'could not explain what is wrong with an input');
}

/** A copy of the input without the given fields; an entry of a list goes with its list. */
function withoutFields(input: unknown, fields: readonly string[]): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  const copy = structuredClone(input) as Record<string, unknown>;
  for (const field of fields) remove(copy, field.split('.'));
  return copy;
}

function remove(value: Record<string, unknown>, [name = '', ...rest]: readonly string[]): void {
  const inner = value[name];
  const isInside = rest.length > 0 && typeof inner === 'object' && inner !== null;
  const isEntry = Array.isArray(inner) && rest.length === 1;
  if (!isInside || isEntry) delete value[name];
  else remove(inner as Record<string, unknown>, rest);
}
