import { type Ctx, Failure, Issues, invalid, type Log } from '@chowk/kit/kernel';
import type { FieldErrors, Validator } from '../schemas/validation.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';
import type { RegisteredAction } from './registry.ts';

/** One authorized call of an action. */
export interface Invocation {
  readonly action: RegisteredAction;
  /** The context of the action's module. */
  readonly ctx: Ctx;
  readonly input: unknown;
  /** Validates the input. Default: the action's validator for JSON values. */
  readonly validate?: Validator;
  /** The audit entry, if the call is recorded. */
  readonly auditEntry?: AuditEntry | undefined;
  /** The fields that the caller needs of a list's records. Default: all. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** Receives the names of ignored fields. */
  readonly ignoredFields?: string[];
}

/** Validates the input, runs the action and completes the audit entry; used by every transport. */
export function invoke(audit: AuditLog, invocation: Invocation): Promise<unknown> {
  const { auditEntry } = invocation;
  return auditEntry ? withAuditEntry(audit, auditEntry, () => run(invocation)) : run(invocation);
}

/** Completes the audit entry, if there is one, with the outcome of the work. */
export async function withAuditEntry<Output>(
  audit: AuditLog,
  auditEntry: AuditEntry | undefined,
  work: () => Promise<Output>,
): Promise<Output> {
  if (!auditEntry) return work();
  try {
    const output = await work();
    audit.end(auditEntry, { output });
    return output;
  } catch (error) {
    audit.fail(auditEntry, error);
    throw error;
  }
}

function run(invocation: Invocation): Promise<unknown> {
  const { admit, explain } = invocation.action;
  return admit || explain ? runWithExplain(invocation) : validateAndRun(invocation);
}

async function runWithExplain(invocation: Invocation): Promise<unknown> {
  const { action, ctx } = invocation;
  if (action.admit) await action.admit(ctx);
  try {
    return await validateAndRun(invocation);
  } catch (error) {
    const errors = error instanceof Failure && error.status === 422 ? error.extras.errors : undefined;
    throw errors ? await explainErrors(invocation, errors) : error;
  }
}

/** Not `async`, to save a promise per call. */
function validateAndRun({
  action,
  ctx,
  input,
  fields,
  ignoredFields = [],
  validate = action.validate,
}: Invocation): Promise<unknown> {
  const errors = validate(input, ignoredFields);
  if (errors) throw invalid(errors);
  return fields && action.select ? action.select(ctx, input, fields) : action.run(ctx, input);
}

/** 422 with the errors found so far and those that the action's `explain` adds. */
async function explainErrors({ action, ctx, input }: Invocation, errors: Readonly<FieldErrors>): Promise<Failure> {
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
  log.error({ err: error, action }, 'explain failed; the response lists the validation errors only');
}

/** A copy of the input without these fields; an invalid list item removes the whole list. */
function withoutFields(input: unknown, fields: readonly string[]): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  const copy = structuredClone(input) as Record<string, unknown>;
  for (const field of fields) removeField(copy, field.split('.'));
  return copy;
}

function removeField(value: Record<string, unknown>, [name = '', ...rest]: readonly string[]): void {
  const inner = value[name];
  const isInside = rest.length > 0 && typeof inner === 'object' && inner !== null;
  const isEntry = Array.isArray(inner) && rest.length === 1;
  if (!isInside || isEntry) delete value[name];
  else removeField(inner as Record<string, unknown>, rest);
}
