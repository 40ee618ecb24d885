import { Answer, invalid, Json } from '@chowk/kit/kernel';
import type { Transport } from '../actions/audit-log.ts';
import { authorize } from '../actions/authorize.ts';
import { invoke } from '../actions/invoke.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { takeFromRateLimit, tooManyRequests } from '../actions/resolve-caller.ts';
import type { Context } from '../context.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import type { Validator } from '../schemas/validation.ts';

/** A call of an action by the user of a request, through a gateway such as GraphQL. */
export interface GatewayCall {
  readonly kernel: Kernel;
  /** The request's context. */
  readonly ctx: Context;
  readonly transport: Transport;
  readonly action: RegisteredAction;
  /** The permission that the call needs instead of the action's own. */
  readonly permission?: string | undefined;
  /** The call goes over the bus: it counts against the operation's rate limit there, for each user. */
  readonly isOverBus?: boolean | undefined;
  /** Default: as the action declares. */
  readonly isAudited?: boolean;
  /** The fields that the caller needs of a list's records. Default: all. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** Default: the action's validator, which drops unknown fields. */
  readonly validate?: Validator;
  /** The request itself has been counted against the user's rate limit; each further call counts like a request. */
  readonly isFirst?: boolean;
}

/** Checks permission, limits and input, runs the action and writes the audit entry, as REST does. */
export async function callAction(call: GatewayCall, input: unknown): Promise<unknown> {
  const { kernel, ctx, action, fields, isAudited = action.isAudited, validate = action.validate } = call;
  const { tenant, caller } = ctx.principal;
  const auditEntry =
    isAudited && tenant
      ? kernel.audit.begin({
          tenant,
          transport: call.transport,
          module: undefined,
          action: action.name,
          userId: caller?.id,
          requestId: ctx.requestId,
          input,
        })
      : undefined;
  try {
    await admit(call);
  } catch (error) {
    if (auditEntry) kernel.audit.fail(auditEntry, error);
    throw error;
  }
  const invocation = { action, ctx: ctx.inModule(action.module, auditEntry), input, fields, validate, auditEntry };
  const result = invoke(kernel.audit, invocation);
  // A change of accounts, roles, settings or domains applies to the next request, even if this one fails afterwards.
  const changesCaches = action.isSystem && !action.isReadOnly;
  const output = await (changesCaches ? result.finally(() => kernel.signals.waitUntilApplied()) : result);
  if (output instanceof Answer) return output.body;
  return output instanceof Json ? output.value : output;
}

/** Calls the action's batched form: an output or a failure for each input, in order. */
export async function callMany(call: GatewayCall, inputs: readonly unknown[]): Promise<readonly unknown[]> {
  const { ctx, action } = call;
  await admit(call);
  const errors = inputs.map((input) => action.validate(input));
  const valid = inputs.filter((_, index) => !errors[index]);
  const outputs = valid.length > 0 ? ((await action.many?.(ctx.inModule(action.module), valid)) ?? []) : [];
  let next = 0;
  return errors.map((found) => (found ? invalid(found) : outputs[next++]));
}

/** Throws unless the user may call the action now. */
async function admit(call: GatewayCall): Promise<void> {
  const { kernel, ctx, action, transport, permission, isOverBus = false, isFirst = false } = call;
  const { installations, limiter, config } = kernel;
  const { principal } = ctx;
  await authorize((tenantId, alias) => installations.has(tenantId, alias), action, principal, permission);
  const now = kernel.now().getTime();
  if (config.rateLimitPerMinute > 0 && !isFirst) {
    const address = ctx.client.address;
    const state = takeFromRateLimit(limiter, config.rateLimitPerMinute, { ...principal, address, now });
    if (!state.allowed) throw tooManyRequests(state);
  }
  if (!isOverBus || !action.bus) return;
  const key = `${principal.tenant?.id ?? ''} ${transport} ${principal.caller?.id ?? ''} ${action.name}`;
  const { allowed, seconds } = limiter.take(key, action.bus.rateLimit, now);
  if (allowed) return;
  throw fail('bus.rate_limited', { name: action.name, seconds }, { headers: { 'Retry-After': String(seconds) } });
}
