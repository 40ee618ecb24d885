import type { Ctx } from '@chowk/kit';
import type { Order, Status } from './schemas.ts';

declare module '@chowk/kit/catalogue' {
  interface Events {
    'order.created': { order: Order };
    /** `changed` names the fields. A status alone is told by `order.status_changed`. */
    'order.updated': { order: Order; changed: string[] };
    'order.status_changed': { order: Order; previous_status: Status; reason: string | null };
    'order.deleted': { order: Order };
  }
}

export function tellCreated(ctx: Ctx, order: Order): Promise<void> {
  return ctx.emit('order.created', { order }, { about: order.id });
}
