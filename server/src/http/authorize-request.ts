import type { MaybePromise } from '@chowk/kit';
import { Failure } from '@chowk/kit';
import { authorize } from '../actions/authorize.ts';
import type { Exchange } from './exchange.ts';

/** Throws unless the caller may call the action. */
export function authorizeRequest(exchange: Exchange): MaybePromise<void> {
  const { kernel, route } = exchange;
  try {
    const authorized = authorize(hasModule(kernel), route.action, exchange);
    return authorized instanceof Promise ? authorized.catch((error) => refuse(exchange, error)) : authorized;
  } catch (error) {
    return refuse(exchange, error);
  }
}

const hasModule =
  ({ installations }: Exchange['kernel']) =>
  (tenantId: string, alias: string) =>
    installations.has(tenantId, alias);

/** A change that a member tried without the permission is recorded in the audit log. */
function refuse({ kernel, request, route: { action }, tenant, caller }: Exchange, error: unknown): never {
  if (tenant && action.isAudited && error instanceof Failure && error.code === 'auth.forbidden') {
    const call = { tenant, action: action.name, userId: caller?.id, requestId: request.id, input: request.params };
    kernel.audit.fail(kernel.audit.begin({ ...call, transport: 'rest', module: undefined }), error);
  }
  throw error;
}
