import { action, ById, readCounters, Type } from '@chowk/kit';
import { readCart } from './cart.ts';
import { checkNewOrder, createOrder } from './create.ts';
import { orderList } from './list.ts';
import { deleteOrder, getOrder, getOrderByNumber, getOrders } from './orders.ts';
import { OrderPreview, previewOrder } from './preview.ts';
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
  statuses,
} from './schemas.ts';
import { readStatistics } from './statistics.ts';
import { OrderStatistics, StatisticsQuery } from './statistics-schemas.ts';
import { checkChanges, checkRefund, checkStatus, refundOrder, updateOrder, updateStatus } from './update.ts';

/** What products and pricing refuse, for example because another order was faster. */
const unavailable = [
  'products.insufficient_stock',
  'products.insufficient_stock_for_several',
  'products.insufficient_at_location',
  'products.variant_not_found',
  'pricing.discount_used_up',
  'pricing.discount_already_used',
];
const changed = (message: string) => ({
  output: Order,
  answer: { key: 'order', message },
  errors: ['http.precondition_failed', ...unavailable],
});

export const actions = {
  'orders.list': action({
    summary: 'List orders',
    http: 'GET /orders',
    graphql: 'orders',
    needs: 'orders.view',
    bus: { rateLimit: 3_000 },
    ...orderList.paged,
    runBatch: orderList.pages,
  }),
  'orders.create': action({
    summary: 'Create an order',
    description:
      'Finds the customer by id, phone or email, in this order, or creates one, named Guest if there is no name. The ' +
      'status `cancelled` also needs orders.cancel, `refunded` orders.refund.',
    http: 'POST /orders',
    graphql: 'createOrder',
    needs: 'orders.create',
    bus: { rateLimit: 1_200 },
    input: NewOrder,
    output: Order,
    answer: { key: 'order', message: 'Order created.', status: 201 },
    errors: ['orders.no_customers', ...unavailable],
    atomic: true,
    check: checkNewOrder,
    run: createOrder,
  }),
  'orders.preview': action({
    summary: 'Price an order without creating it',
    description:
      'The same input as to create an order. `out_of_stock` and `problems` say what would prevent it; the customer counts ' +
      'only with its id.',
    http: 'POST /orders/preview',
    graphql: 'orderPreview',
    needs: 'orders.create',
    readOnly: true,
    bus: { rateLimit: 3_000 },
    input: NewOrder,
    output: OrderPreview,
    answer: { key: 'preview' },
    check: (ctx, input, issues) => readCart(ctx, input, issues),
    run: previewOrder,
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
    graphql: 'orderCounts',
    needs: 'orders.view',
    output: OrderCounts,
    run: (ctx) => readCounters(ctx, 'orders', statuses),
  }),
  'orders.statistics': action({
    summary: 'Get revenue and orders by day',
    description:
      "The last `days` days in the tenant's time zone, today included, and as many days before them, up to the same time of " +
      'day. An order counts on the day it was placed. Pending, cancelled and failed orders do not count.',
    http: 'GET /orders/statistics',
    graphql: 'orderStatistics',
    needs: 'reports.view',
    input: StatisticsQuery,
    output: OrderStatistics,
    run: readStatistics,
  }),
  'orders.export': action({
    summary: 'Export orders',
    description: 'One row for each order.',
    http: 'GET /orders/export',
    needs: 'orders.export',
    ...orderList.exported,
  }),
  'orders.getByNumber': action({
    summary: 'Get an order by its number',
    http: 'GET /orders/lookup',
    graphql: 'orderByNumber',
    needs: 'orders.view',
    bus: { rateLimit: 6_000 },
    input: NumberKey,
    output: OrderDetails,
    answer: { key: 'order' },
    errors: ['orders.not_found'],
    run: getOrderByNumber,
  }),
  'orders.get': action({
    summary: 'Get an order',
    description: 'Includes items, customer and history.',
    http: 'GET /orders/:id',
    graphql: 'order',
    needs: 'orders.view',
    bus: { rateLimit: 6_000 },
    input: ById,
    output: OrderDetails,
    answer: { key: 'order' },
    run: getOrder,
    runBatch: getOrders,
  }),
  'orders.update': action({
    summary: 'Update an order',
    description:
      'Fields that are not sent do not change; items are replaced as a whole. Items, total and date cannot change once ' +
      'the order is shipped, delivered, cancelled or refunded, the currency never. The status `cancelled` also needs ' +
      'orders.cancel, `refunded` orders.refund.',
    http: 'PATCH /orders/:id',
    graphql: 'updateOrder',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: OrderChanges,
    ...changed('Order saved.'),
    errors: ['http.precondition_failed', 'orders.closed', ...unavailable],
    atomic: true,
    check: checkChanges,
    run: updateOrder,
  }),
  'orders.delete': action({
    summary: 'Delete an order',
    description: 'The order no longer counts in statistics. Its number is not used again.',
    http: 'DELETE /orders/:id',
    graphql: 'deleteOrder',
    needs: 'orders.delete',
    input: ById,
    answer: { message: 'Order deleted.' },
    errors: ['http.precondition_failed'],
    run: deleteOrder,
  }),
  'orders.updateStatus': action({
    summary: 'Change the status of an order',
    description: '`cancelled` also needs orders.cancel, `refunded` orders.refund.',
    http: 'POST /orders/:id/status',
    graphql: 'updateOrderStatus',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: StatusChange,
    ...changed('Status changed.'),
    atomic: true,
    check: checkStatus,
    run: updateStatus,
  }),
  'orders.cancel': action({
    summary: 'Cancel an order',
    description: 'Only possible before the order is shipped.',
    http: 'POST /orders/:id/cancel',
    graphql: 'cancelOrder',
    needs: 'orders.cancel',
    input: Cancellation,
    ...changed('Order cancelled.'),
    atomic: true,
    check: (ctx, input, issues) => checkStatus(ctx, { ...input, status: 'cancelled' }, issues),
    run: (ctx, input, current) => updateStatus(ctx, { ...input, status: 'cancelled' }, current),
  }),
  'orders.refund': action({
    summary: 'Refund an order',
    description: 'Refunds an amount or, by default, the remaining total. A fully refunded order becomes `refunded`.',
    http: 'POST /orders/:id/refund',
    graphql: 'refundOrder',
    needs: 'orders.refund',
    input: OrderRefund,
    ...changed('Refund recorded.'),
    atomic: true,
    check: checkRefund,
    run: refundOrder,
  }),
};
