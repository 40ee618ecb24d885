import type { IncomingMessage } from 'node:http';
import { andThen, Failure, type MaybePromise } from '@chowk/kit';
import { authorise } from '../actions/authorise.ts';
import { bindTenant, identify, takeFromLimit, tooManyRequests } from '../actions/identify.ts';
import { fail } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/* The steps that every transport has, as HTTP takes them: what they decide is decided in `actions/`. */

export function bindToTenant(exchange: Exchange): MaybePromise<void> {
  const { kernel, request, route } = exchange;
  if (route.action.tenant !== 'none' && !namesOneHost(request.raw)) throw fail('tenancy.bad_host');
  const header = request.headers['x-tenant'] as string | undefined;
  // `host` believes X-Forwarded-Host from configured proxies only.
  return andThen(bindTenant(kernel.directory, route.action, { host: request.host, header }), (tenant) => {
    if (!tenant) return;
    exchange.tenant = tenant;
    exchange.reply.header('x-ring', kernel.config.ringName);
  });
}

/** Two Host headers, or one beside an address that names another host, may mean one tenant to a proxy and another to us. */
function namesOneHost({ rawHeaders, headers, url = '/' }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts !== 1 || url.startsWith('/')) return hosts === 1;
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase() === headers.host?.toLowerCase();
}

export function authenticate(exchange: Exchange): MaybePromise<void> {
  const { kernel, request, tenant } = exchange;
  const { authorization } = request.headers;
  const token = authorization && /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
  return andThen(identify(kernel.identity, token, tenant), ({ caller, membership }) => {
    exchange.caller = caller;
    exchange.membership = membership;
  });
}

export function limitRate({ kernel, request, reply, caller, tenant }: Exchange): void {
  const limit = kernel.config.rateLimitPerMinute;
  if (limit === 0) return;
  const now = kernel.now().getTime();
  const state = takeFromLimit(kernel.limiter, limit, { caller, tenant, address: request.ip, now });
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', state.remaining);
  reply.header('ratelimit-reset', state.seconds);
  if (!state.allowed) throw tooManyRequests(state);
}

export function mayCall(exchange: Exchange): MaybePromise<void> {
  const { kernel, route } = exchange;
  try {
    const allowed = authorise(hasModule(kernel), route.action, exchange);
    return allowed instanceof Promise ? allowed.catch((error) => refuse(exchange, error)) : allowed;
  } catch (error) {
    return refuse(exchange, error);
  }
}

const hasModule =
  ({ installations }: Exchange['kernel']) =>
  (tenantId: string, alias: string) =>
    installations.has(tenantId, alias);

/** A member who tried to change what it may not is worth a line in the audit log. */
function refuse({ kernel, request, route: { action }, tenant, caller }: Exchange, error: unknown): never {
  if (tenant && action.isAudited && error instanceof Failure && error.code === 'auth.forbidden') {
    const call = { tenant, action: action.name, userId: caller?.id, requestId: request.id, input: request.params };
    kernel.audit.fail(kernel.audit.begin({ ...call, transport: 'rest', module: undefined }), error);
  }
  throw error;
}
