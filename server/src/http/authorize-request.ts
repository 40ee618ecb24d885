import { Failure } from '@chowk/kit';
import { authorize } from '../actions/authorize.ts';
import type { Exchange } from './exchange.ts';

/** Throws unless the caller may call the action. */
export async function authorizeRequest(exchange: Exchange): Promise<void> {
  const { kernel, route } = exchange;
  try {
    await authorize(hasModule(kernel), route.action, exchange);
  } catch (error) {
    refuse(exchange, error);
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
