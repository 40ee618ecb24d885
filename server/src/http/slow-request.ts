import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel.ts';

/** Logs a request that takes at least `SLOW_REQUEST_MS`, without the time that its caller asked it to wait for events. */
export function logSlowRequest({ config, log }: Kernel, request: FastifyRequest, reply: FastifyReply): void {
  const { slowRequestMs } = config;
  if (slowRequestMs === 0 || reply.elapsedTime < slowRequestMs) return;
  const { exchange } = request;
  const { wait = 0 } = (exchange?.input ?? {}) as { readonly wait?: unknown };
  const durationMs = Math.round(reply.elapsedTime);
  if (typeof wait === 'number' && durationMs - wait * 1_000 < slowRequestMs) return;
  const details = {
    tenant: exchange?.tenant?.id,
    method: request.method,
    route: exchange?.action.path ?? request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    duration_ms: durationMs,
    request_id: request.id,
  };
  log.warn(details, 'slow request');
}
