import { type Ctx, canViewSensitive } from '@chowk/kit';
import type { Order, ShippingAddress } from './schemas.ts';

const sensitive = ['address1', 'address2', 'phone'] as const;

function sensitiveLines(address: ShippingAddress): ShippingAddress {
  return Object.fromEntries(sensitive.filter((name) => name in address).map((name) => [name, address[name]]));
}

/** The order without phones and street lines, for callers who may not see them. */
export function maskOrder<Masked extends Pick<Order, 'shipping_address'>>(ctx: Ctx, order: Masked): Masked {
  const { shipping_address: address } = order;
  if (address === null || canViewSensitive(ctx)) return order;
  const masked = Object.keys(sensitiveLines(address)).map((name) => [name, null]);
  return { ...order, shipping_address: { ...address, ...Object.fromEntries(masked) } };
}

/** The address to store. A caller who sees no street sends the address back without it; the street then stays. */
export function addressToStore(
  ctx: Ctx,
  given: ShippingAddress | null,
  current: ShippingAddress | null = null,
): ShippingAddress | null {
  if (given === null) return null;
  const kept = current === null || canViewSensitive(ctx) ? {} : sensitiveLines(current);
  const lines = Object.entries(given).filter(([, text]) => text !== null);
  const address = { ...kept, ...Object.fromEntries(lines) };
  return Object.keys(address).length === 0 ? null : address;
}
