import { Answer, type Ctx, Failure, Issues, invalid, Json } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { networkPrefix } from '../network.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import { type FieldErrors, namesAllFields, type Validator } from '../schemas/validation.ts';
import { beginSpan } from '../tracing/span.ts';
import type { AuditEntry, AuditLog, Transport } from './audit-log.ts';
import { authorize, type ModuleDirectory, type Principal } from './authorize.ts';
import type { CallCounts } from './call-counts.ts';
import type { RegisteredAction } from './registry.ts';
import { takeFromPlan, takeFromRateLimit, tooManyRequests } from './resolve-caller.ts';

/** One call of an action over any transport. Transports differ in how they read the input and use the output. */
export interface Call extends Principal {
  readonly action: RegisteredAction;
  readonly transport: Transport;
  readonly requestId: string;
  /** The calling module; `undefined` for calls from outside. */
  readonly module?: string | undefined;
  /** The user on whose behalf the platform calls. Default: the caller. */
  readonly userId?: number | undefined;
  /** The permission that the call needs instead of the action's own; `null`: none. */
  readonly permission?: string | null | undefined;
  /** The address of the client whose rate limit the call counts against. Absent: the call is not counted. */
  readonly countedAddress?: string | undefined;
  /** The address of the client, for the action's own limit. Absent: that limit does not apply. */
  readonly clientAddress?: string | undefined;
  /** The key of the operation's own rate limit. Absent: the limit does not apply. */
  readonly operationKey?: string | undefined;
  readonly isAudited: boolean;
  /** Only changes that the action describes are recorded, such as edits of amounts. Default: every call. */
  readonly auditsChangesOnly?: boolean | undefined;
  /** The part of the input that is known before `readInput`; the audit entry of a refused call has it. */
  readonly knownInput: unknown;
  /** Default: the action's validator for JSON values. */
  readonly validate?: Validator | undefined;
  /** The fields that the caller needs of a list's records. Default: all. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** Receives the names of ignored fields. */
  readonly ignoredFields?: string[] | undefined;
  /** Called when the caller is authorized. */
  readInput(): unknown;
  /** The context in which the action runs. */
  createContext(auditEntry: AuditEntry | undefined): ActionContext;
  /** Runs the action at most once for an idempotency key. */
  runOnce?: ((run: (transaction?: AuditedTransaction) => Promise<unknown>) => Promise<unknown>) | undefined;
}

interface ActionContext extends Ctx {
  /** Runs `work` in the current transaction or in a new one. */
  joinTx<Result>(work: (ctx: Ctx) => Promise<Result>): Promise<Result>;
}

/** A transaction in which an action runs and its audit entry is written. */
export interface AuditedTransaction {
  withAuditEntry(auditEntry: AuditEntry | undefined): ActionContext;
}

/** The services of the kernel that calls use. */
export interface CallServices {
  readonly audit: AuditLog;
  readonly calls: CallCounts;
  readonly limiter: RateLimiter;
  readonly installations: ModuleDirectory;
  readonly signals: { waitUntilApplied(): Promise<void> };
  readonly config: { readonly rateLimitPerMinute: number };
  now(): Date;
}

/**
 * Calls an action: module enabled, caller authorized, limits, input, run, audit. Used by every transport, so that none of
 * them decides on its own who may do what.
 */
export async function callAction(services: CallServices, call: Call): Promise<unknown> {
  const authorized = authorizeAndCount(services, call);
  if (authorized) await authorized;
  const read = call.readInput();
  const input = read instanceof Promise ? await read : read;
  if (call.runOnce) return call.runOnce((transaction) => perform(services, call, input, transaction));
  return perform(services, call, input);
}

/** Calls the action's `runBatch`: an output or a failure for each input, in order. */
export async function callBatch(
  services: CallServices,
  call: Call,
  inputs: readonly unknown[],
): Promise<readonly unknown[]> {
  const { action } = call;
  await authorizeAndCount(services, call);
  const auditEntry = beginAuditEntry(services, call, inputs);
  const ctx = call.createContext(auditEntry);
  try {
    await action.guard?.(ctx);
    const errors = inputs.map((input) => action.validate(input));
    const valid = inputs.filter((_, index) => !errors[index]);
    const outputs = valid.length > 0 ? ((await action.runBatch?.(ctx, valid)) ?? []) : [];
    if (auditEntry) services.audit.end(auditEntry, {});
    services.calls.add(action.module);
    let next = 0;
    return errors.map((found) => (found ? invalid(found) : outputs[next++]));
  } catch (error) {
    services.calls.add(action.module, error);
    if (auditEntry) services.audit.fail(auditEntry, error);
    throw error;
  }
}

/** The output as a value, for callers that are not HTTP clients. */
export function outputValue(output: unknown): unknown {
  if (output instanceof Answer) return output.body;
  return output instanceof Json ? output.value : output;
}

/** Throws unless the caller may call the action now. Returns a promise only if it has to wait. */
function authorizeAndCount(services: CallServices, call: Call): Promise<void> | undefined {
  try {
    const authorized = authorize(services.installations, call.action, call, call.permission);
    if (authorized) {
      return authorized.then(() => takeFromLimits(services, call)).catch((error) => refuse(services, call, error));
    }
    takeFromLimits(services, call);
    return undefined;
  } catch (error) {
    return refuse(services, call, error);
  }
}

/** Records a refused call, unless it came from outside the tenant. */
function refuse(services: CallServices, call: Call, error: unknown): never {
  const isRecorded = call.module !== undefined || (error instanceof Failure && recordedRefusals.has(error.code));
  const auditEntry = isRecorded ? beginAuditEntry(services, call, call.knownInput) : undefined;
  if (auditEntry) services.audit.fail(auditEntry, error);
  throw error;
}

const recordedRefusals: ReadonlySet<string> = new Set([
  'auth.forbidden',
  'auth.email_not_verified',
  'bus.rate_limited',
  'http.too_many_requests',
]);

function takeFromLimits({ limiter, config, now }: CallServices, call: Call): void {
  const { action, countedAddress: address, clientAddress, operationKey } = call;
  if (action.limit && clientAddress !== undefined) takeFromOwnLimit(limiter, action, call, now());
  if (address === undefined && operationKey === undefined) return;
  const at = now().getTime();
  if (address !== undefined && config.rateLimitPerMinute > 0) {
    const state = takeFromRateLimit(limiter, config.rateLimitPerMinute, { ...call, address, now: at });
    if (!state.allowed) throw tooManyRequests(state);
  }
  if (address !== undefined) takeFromPlan(limiter, call.tenant, at);
  if (operationKey === undefined || !action.bus) return;
  const { allowed, seconds } = limiter.take(operationKey, action.bus.rateLimit, at);
  if (allowed) return;
  throw fail('bus.rate_limited', { name: action.name, seconds }, { headers: { 'Retry-After': String(seconds) } });
}

function takeFromOwnLimit(limiter: RateLimiter, { name, limit }: RegisteredAction, call: Call, now: Date): void {
  if (!limit) return;
  const by = limit.by === 'user' ? `user ${call.caller?.id}` : networkPrefix(call.clientAddress ?? '');
  const key = `action ${name} ${call.tenant?.id ?? ''} ${by}`;
  const state = limiter.take(key, limit.perMinute, now.getTime());
  if (!state.allowed) throw tooManyRequests(state);
}

function beginAuditEntry({ audit }: CallServices, call: Call, input: unknown): AuditEntry | undefined {
  const { tenant, isAudited, transport, module, action, caller, userId = caller?.id, requestId } = call;
  const { auditsChangesOnly: changesOnly = false } = call;
  if (!tenant || !isAudited) return undefined;
  // The text of a file or of another system is not recorded.
  const recorded = action.accepts === 'csv' || action.accepts === 'signed' ? undefined : input;
  return audit.begin({
    tenant,
    transport,
    module,
    action: action.name,
    userId,
    requestId,
    changesOnly,
    input: recorded,
  });
}

/** Validates the input, runs the action and completes the audit entry. */
async function perform(
  services: CallServices,
  call: Call,
  input: unknown,
  transaction?: AuditedTransaction,
): Promise<unknown> {
  const { action } = call;
  const auditEntry = beginAuditEntry(services, call, input);
  const ctx = transaction ? transaction.withAuditEntry(auditEntry) : call.createContext(auditEntry);
  const span = beginSpan(action.name, 'internal', () => ({ 'chowk.transport': call.transport }));
  try {
    if (action.guard) await action.guard(ctx);
    const errors = (call.validate ?? action.validate)(input, call.ignoredFields);
    if (errors && !action.check) throw invalid(errors);
    const start = action.atomic ? runAtomically : run;
    const output = await (span ? span.run(() => start(call, ctx, input, errors)) : start(call, ctx, input, errors));
    span?.end();
    if (auditEntry) services.audit.end(auditEntry, { output });
    services.calls.add(action.module);
    return output;
  } catch (error) {
    span?.end(error);
    services.calls.add(action.module, error);
    if (auditEntry) services.audit.fail(auditEntry, error);
    throw error;
  } finally {
    // A change of accounts, roles, settings or domains applies to the next request, even if this one fails afterwards.
    if (action.changesCaches && call.module === undefined) await services.signals.waitUntilApplied();
  }
}

/** Runs `check` and `run` in one transaction. */
function runAtomically(
  call: Call,
  ctx: ActionContext,
  input: unknown,
  errors: FieldErrors | undefined,
): Promise<unknown> {
  const work = (scope: Ctx) => run(call, scope, input, errors);
  // A module may catch the failure of an operation and go on: nothing of the operation may remain then.
  return call.module === undefined || call.action.internal ? ctx.joinTx(work) : ctx.tx(work);
}

/** Not `async`, to save a promise per call. */
function run({ action, fields }: Call, ctx: Ctx, input: unknown, errors: FieldErrors | undefined): Promise<unknown> {
  if (action.check) return check(action, ctx, input, errors).then((checked) => action.run(ctx, input, checked));
  return fields && action.runFields ? action.runFields(ctx, input, fields) : action.run(ctx, input);
}

/** The result of the action's `check`. 422 with its problems and the errors of the validation. */
async function check(
  action: RegisteredAction,
  ctx: Ctx,
  input: unknown,
  errors: FieldErrors | undefined,
): Promise<unknown> {
  const issues = new Issues();
  if (errors) issues.addAll(errors);
  // Fields that nobody knows to be wrong would be checked as if they were valid.
  if (errors && !namesAllFields(errors)) issues.throwIfAny();
  let checked: unknown;
  try {
    checked = await action.check?.(
      ctx,
      errors ? validFields(action, input, Object.keys(errors)) : (input as object as Fields),
      issues,
    );
  } catch (error) {
    if (!errors) throw error;
    // The record may not exist, for example: the errors of the validation are reported anyway.
    if (error instanceof Failure) issues.addAll(error.extras.errors);
    else
      ctx.log.error({ err: error, action: action.name }, 'check failed; the response lists the validation errors only');
  }
  issues.throwIfAny();
  return checked;
}

type Fields = Record<string, unknown>;

/** A copy of the input without unknown and invalid fields; an invalid list item removes the whole list. */
function validFields({ input: schema }: RegisteredAction, input: unknown, invalid: readonly string[]): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  const copy = structuredClone(input) as Fields;
  for (const field of invalid) {
    const path = field.split('.');
    // The name of a field can contain dots: where it is not found, everything that it may be in is removed.
    if (!removeField(copy, path)) delete copy[path[0] as string];
  }
  const isOpen = !schema || (schema as { additionalProperties?: unknown }).additionalProperties === true;
  return isOpen
    ? copy
    : Object.fromEntries(Object.entries(copy).filter(([name]) => Object.hasOwn(schema.properties, name)));
}

/** Returns whether the field was found. A missing one, which is required, counts as found. */
function removeField(value: Fields, [name = '', ...rest]: readonly string[]): boolean {
  if (rest.length === 0) return delete value[name];
  const inner = Object.hasOwn(value, name) ? value[name] : undefined;
  if (typeof inner !== 'object' || inner === null) return false;
  if (Array.isArray(inner) && rest.length === 1) return delete value[name];
  return removeField(inner as Fields, rest);
}
