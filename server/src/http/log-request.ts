import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel.ts';

/** Logs the request if its caller is an API client or an app. */
export function logRequest({ requestLog }: Kernel, request: FastifyRequest, reply: FastifyReply): void {
  const { tenant, caller, action } = request.exchange ?? {};
  if (!tenant || caller?.session.kind !== 'client' || action?.path === undefined) return;
  requestLog.add({
    tenant,
    clientId: caller.session.clientId ?? '',
    userId: caller.id,
    method: request.method,
    path: action.path,
    status: reply.statusCode,
    milliseconds: reply.elapsedTime,
    requestId: request.id,
  });
}
