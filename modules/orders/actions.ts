import { action, ById, fileTypes, type OperationsOf, Type } from '@chowk/kit';
import { createOrder, explainNewOrder } from './create.ts';
import { countByStatus, orderList } from './list.ts';
import { deleteOrder, getOrder, getOrderByNumber, getOrders } from './orders.ts';
import { explainRefund, refundOrder } from './refund.ts';
import {
  Cancellation,
  NewOrder,
  NumberKey,
  Order,
  OrderChanges,
  OrderCounts,
  OrderDetails,
  OrderRefund,
  StatusChange,
} from './schemas.ts';
import { updateStatus } from './transitions.ts';
import { explainChanges, updateOrder } from './update.ts';

const notFound = ['orders.not_found'];
const notChanged = [...notFound, 'http.precondition_failed'];

export const actions = {
  'orders.list': action({
    summary: 'List orders',
    http: 'GET /orders',
    needs: 'orders.view',
    bus: { rateLimit: 3_000 },
    input: orderList.Query,
    output: orderList.Page,
    run: orderList.page,
  }),
  'orders.create': action({
    summary: 'Create an order',
    description: 'The customer is found by id, phone or email, or created.',
    http: 'POST /orders',
    needs: 'orders.create',
    bus: { rateLimit: 1_200 },
    input: NewOrder,
    output: Order,
    answer: { key: 'order', message: 'Order created.', status: 201 },
    errors: ['orders.no_customers'],
    run: createOrder,
    explain: explainNewOrder,
  }),
  'orders.count': action({
    summary: 'Count orders',
    needs: 'orders.view',
    readOnly: true,
    bus: { rateLimit: 3_000 },
    input: orderList.Filters,
    output: Type.Object({ count: Type.Integer() }),
    run: async (ctx, filters) => ({ count: await orderList.count(ctx, filters) }),
  }),
  'orders.countByStatus': action({
    summary: 'Count orders by status',
    http: 'GET /orders/counts',
    needs: 'orders.view',
    output: OrderCounts,
    run: countByStatus,
  }),
  'orders.export': action({
    summary: 'Export orders',
    description: 'One row an order.',
    http: 'GET /orders/export',
    needs: 'orders.export',
    audited: true,
    input: orderList.ExportQuery,
    file: Object.values(fileTypes),
    run: orderList.file,
  }),
  'orders.getByNumber': action({
    summary: 'Get an order by its number',
    http: 'GET /orders/by-number/:order_number',
    needs: 'orders.view',
    bus: { rateLimit: 6_000 },
    input: NumberKey,
    output: OrderDetails,
    answer: { key: 'order' },
    errors: notFound,
    run: getOrderByNumber,
  }),
  'orders.get': action({
    summary: 'Get an order',
    description: 'With its items, customer and history.',
    http: 'GET /orders/:id',
    needs: 'orders.view',
    bus: { rateLimit: 6_000 },
    input: ById,
    output: OrderDetails,
    answer: { key: 'order' },
    errors: notFound,
    run: getOrder,
    many: getOrders,
  }),
  'orders.update': action({
    summary: 'Update an order',
    description:
      'Changes the given fields and leaves the others; items are replaced as a whole. Items and total of a cancelled or ' +
      'refunded order cannot change. The status `cancelled` also needs orders.cancel, `refunded` orders.refund.',
    http: 'PATCH /orders/:id',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: OrderChanges,
    output: Order,
    answer: { key: 'order', message: 'Order saved.' },
    errors: [...notFound, 'orders.closed'],
    run: updateOrder,
    explain: explainChanges,
  }),
  'orders.delete': action({
    summary: 'Delete an order',
    description: 'It no longer counts in any statistics, and its number is not used again.',
    http: 'DELETE /orders/:id',
    needs: 'orders.delete',
    input: ById,
    answer: { message: 'Order deleted.' },
    errors: notChanged,
    run: deleteOrder,
  }),
  'orders.updateStatus': action({
    summary: 'Change the status of an order',
    description: '`cancelled` also needs orders.cancel, `refunded` orders.refund.',
    http: 'POST /orders/:id/status',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: StatusChange,
    output: Order,
    answer: { key: 'order', message: 'Status changed.' },
    errors: notChanged,
    run: updateStatus,
    explain: explainChanges,
  }),
  'orders.cancel': action({
    summary: 'Cancel an order',
    description: 'Only before it is shipped.',
    http: 'POST /orders/:id/cancel',
    needs: 'orders.cancel',
    input: Cancellation,
    output: Order,
    answer: { key: 'order', message: 'Order cancelled.' },
    errors: notChanged,
    run: (ctx, input) => updateStatus(ctx, { ...input, status: 'cancelled' }),
    explain: (ctx, input, issues) => explainChanges(ctx, { ...input, status: 'cancelled' }, issues),
  }),
  'orders.refund': action({
    summary: 'Refund an order',
    description: 'Refunds an amount, or all that remains. An order of which nothing remains becomes `refunded`.',
    http: 'POST /orders/:id/refund',
    needs: 'orders.refund',
    input: OrderRefund,
    output: Order,
    answer: { key: 'order', message: 'Refund recorded.' },
    errors: notChanged,
    run: refundOrder,
    explain: explainRefund,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Operations extends OperationsOf<typeof actions> {}
}
