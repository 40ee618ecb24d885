import { fail } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/** For actions that decide themselves which pages may call them. Browsers send the origin with all requests but simple reads. */
export async function checkOrigin(exchange: Exchange): Promise<void> {
  const { request, reply, action } = exchange;
  const { origin } = request.headers;
  reply.header('vary', 'Origin');
  if (origin === undefined && action.method === 'GET') return;
  const isAllowed = origin !== undefined && (await action.allowsOrigin?.(exchange.createContext(undefined), origin));
  if (!isAllowed) throw fail('http.origin_forbidden', { origin: origin ?? 'no origin' });
  reply.header('access-control-allow-origin', origin);
}
