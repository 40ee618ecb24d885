import type { Ctx } from '@chowk/kit/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RegisteredAction } from '../actions/registry.ts';
import { fail } from '../errors.ts';

interface Checked {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly action: RegisteredAction;
  createContext(auditEntry: undefined): Ctx;
}

/** For actions that decide themselves which pages may call them. Browsers send the origin with all requests but simple reads. */
export async function checkOrigin(exchange: Checked): Promise<void> {
  const { request, reply, action } = exchange;
  const { origin } = request.headers;
  reply.header('vary', 'Origin');
  if (origin === undefined && action.method === 'GET') return;
  const isAllowed = origin !== undefined && (await action.allowsOrigin?.(exchange.createContext(undefined), origin));
  if (!isAllowed) throw fail('http.origin_forbidden', { origin: origin ?? 'no origin' });
  reply.header('access-control-allow-origin', origin);
}
