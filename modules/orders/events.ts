import type { Order, Status } from './schemas.ts';

declare module '@chowk/kit/catalogue' {
  interface Events {
    'order.created': { order: Order };
    /** `changed` names the fields. A change of status, with what it refunds, is `order.status_changed`. */
    'order.updated': { order: Order; changed: string[] };
    'order.status_changed': { order: Order; previous_status: Status; reason: string | null };
    'order.deleted': { order: Order };
  }
}
