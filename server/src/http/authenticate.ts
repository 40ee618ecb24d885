import type { Exchange } from './exchange.ts';

/** A token that is nobody's leaves the caller unknown; whether that matters is for `authorise` to say. */
export async function authenticate(exchange: Exchange): Promise<void> {
  const { kernel, request, tenant } = exchange;
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!token) return;
  const caller = await kernel.identity.authenticate(token);
  if (!caller) return;
  exchange.caller = caller;
  if (!tenant) return;
  const membership = await kernel.identity.membership(caller, tenant.id);
  if (membership) exchange.membership = membership;
}
