import type { Ctx } from '@chowk/kit';
import type { CustomerRecord, DeleteMode } from './schemas.ts';

declare module '@chowk/kit/catalogue' {
  interface Events {
    'customer.created': { customer: CustomerRecord };
    /** `changed` names the fields. */
    'customer.updated': { customer: CustomerRecord; changed: string[] };
    /** All that the removed one had is the customer's now. */
    'customer.merged': { customer: CustomerRecord; removed_id: string };
    'customer.deleted': { id: string; mode: DeleteMode };
  }
}

export function tellCreated(ctx: Ctx, customer: CustomerRecord): Promise<void> {
  return ctx.emit('customer.created', { customer }, { about: customer.id });
}

export function tellUpdated(ctx: Ctx, customer: CustomerRecord, changed: string[]): Promise<void> {
  return ctx.emit('customer.updated', { customer, changed }, { about: customer.id });
}

export function tellMerged(ctx: Ctx, customer: CustomerRecord, removedId: string): Promise<void> {
  return ctx.emit('customer.merged', { customer, removed_id: removedId }, { about: customer.id });
}

export function tellDeleted(ctx: Ctx, id: string, mode: DeleteMode): Promise<void> {
  return ctx.emit('customer.deleted', { id, mode }, { about: id });
}
