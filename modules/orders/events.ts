import type { Ctx } from '@chowk/kit';
import type { Order, Status } from './schemas.ts';

declare module '@chowk/kit/catalogue' {
  interface Events {
    'order.created': { order: Order };
    /** `changed` names the fields. A status is told by `order.status_changed`, with what is refunded by it. */
    'order.updated': { order: Order; changed: string[] };
    'order.status_changed': { order: Order; previous_status: Status; reason: string | null };
    'order.deleted': { order: Order };
  }
}

export function tellCreated(ctx: Ctx, order: Order): Promise<void> {
  return ctx.emit('order.created', { order }, { about: order.id });
}

export function tellUpdated(ctx: Ctx, order: Order, changed: string[]): Promise<void> {
  return ctx.emit('order.updated', { order, changed }, { about: order.id });
}

export function tellStatusChanged(
  ctx: Ctx,
  order: Order,
  change: { previous_status: Status; reason: string | null },
): Promise<void> {
  return ctx.emit('order.status_changed', { order, ...change }, { about: order.id });
}

export function tellDeleted(ctx: Ctx, order: Order): Promise<void> {
  return ctx.emit('order.deleted', { order }, { about: order.id });
}
