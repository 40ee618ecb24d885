import { action, ById, readCounters, Type } from '@chowk/kit';
import { readCart } from './cart.ts';
import { checkNewOrder, createOrder } from './create.ts';
import { draftActions } from './draft-actions.ts';
import { unavailable } from './errors.ts';
import { orderList } from './list.ts';
import { deleteOrder, getOrder, getOrderByNumber, getOrders } from './orders.ts';
import { OrderPayment, OrderPaymentChange, OrderPaymentInput, OrderRefund } from './payment-schemas.ts';
import { addPayment, checkPayment, checkPaymentChange, updatePayment } from './payments.ts';
import { OrderPreview, previewOrder } from './preview.ts';
import { checkPreviewedChanges, OrderChangesPreview, previewChanges } from './preview-changes.ts';
import { checkRefund, refundOrder } from './refund.ts';
import {
  Cancellation,
  NewOrder,
  NumberKey,
  Order,
  OrderChanges,
  OrderCounts,
  OrderDetails,
  StatusChange,
  statuses,
} from './schemas.ts';
import { shipmentActions } from './shipment-actions.ts';
import { readStatistics } from './statistics.ts';
import { OrderStatistics, StatisticsQuery } from './statistics-schemas.ts';
import { checkChanges, checkStatus, updateOrder, updateStatus } from './update.ts';
import { upsertActions } from './upsert.ts';

const changed = (message: string) => ({
  output: Order,
  answer: { key: 'order', message },
  errors: ['http.precondition_failed', ...unavailable],
});

export const actions = {
  ...upsertActions,
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
    example: {
      customer: { first_name: 'Asha', last_name: 'Rao', phone: '+919876543210', email: 'asha@example.com' },
      items: [{ sku: 'TEA-250', quantity: 2, price: '49.50' }],
      shipping_address: {
        first_name: 'Asha',
        last_name: 'Rao',
        address1: '12 MG Road',
        city: 'Pune',
        pincode: '411001',
      },
      note: 'Ring twice.',
      external_ids: { website: 'cart-1042' },
    },
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
    example: { items: [{ sku: 'TEA-250', quantity: 2 }], shipping_address: { city: 'Pune', pincode: '411001' } },
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
    description: 'Includes items, customer, history, shipments, payments and refunds.',
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
      'orders.cancel, `refunded` orders.refund. Changed items are priced with the choices of the order: codes that it uses stay ' +
      'available to it after they have ended. If a code or the shipping rate no longer applies, it is a problem of ' +
      '`discount_codes` or `shipping_rate_id`; send the field to replace or remove it.',
    http: 'PATCH /orders/:id',
    example: { note: 'Ring twice.', metadata: { gift: 'yes' } },
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
  'orders.previewChanges': action({
    summary: 'Price changes of an order without saving them',
    description: 'The same input as to update an order, and the same errors.',
    http: 'POST /orders/:id/preview',
    example: { items: [{ sku: 'TEA-250', quantity: 3 }] },
    graphql: 'orderChangesPreview',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    readOnly: true,
    input: OrderChanges,
    output: OrderChangesPreview,
    answer: { key: 'preview' },
    errors: ['orders.closed'],
    check: checkPreviewedChanges,
    run: previewChanges,
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
    example: { status: 'confirmed' },
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
    description: 'Only possible before items of the order are shipped.',
    http: 'POST /orders/:id/cancel',
    graphql: 'cancelOrder',
    needs: 'orders.cancel',
    bus: { rateLimit: 3_000 },
    input: Cancellation,
    ...changed('Order cancelled.'),
    atomic: true,
    check: (ctx, input, issues) => checkStatus(ctx, { ...input, status: 'cancelled' }, issues),
    run: (ctx, input, current) => updateStatus(ctx, { ...input, status: 'cancelled' }, current),
  }),
  'orders.refund': action({
    summary: 'Refund an order',
    description:
      'Refunds items, an amount or, by default, everything that was paid and not refunded. A fully refunded order becomes ' +
      '`refunded`, unless it is pending, cancelled or failed. A refund of a payment by a provider is `pending` until the provider ' +
      'reports it.',
    http: 'POST /orders/:id/refund',
    example: { amount: '10.00', reason: 'One was broken.' },
    graphql: 'refundOrder',
    needs: 'orders.refund',
    bus: { rateLimit: 3_000 },
    input: OrderRefund,
    ...changed('Refund recorded.'),
    atomic: true,
    check: checkRefund,
    run: refundOrder,
  }),
  'orders.addPayment': action({
    summary: 'Record a payment of an order',
    description:
      'At most what is due. A pending payment does not count in `paid_total`. Cancelled and failed orders take no payments.',
    http: 'POST /orders/:id/payments',
    example: { method: 'upi', amount: '20.00', reference: 'UTR 4321' },
    graphql: 'addOrderPayment',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: OrderPaymentInput,
    output: OrderPayment,
    answer: { key: 'payment', message: 'Payment recorded.', status: 201 },
    errors: ['http.precondition_failed'],
    atomic: true,
    check: checkPayment,
    run: addPayment,
  }),
  'orders.updatePayment': action({
    summary: 'Change the status of a payment',
    description:
      'A pending payment succeeds or fails; one that has succeeded can fail, for example a cheque, if it was not refunded. The ' +
      'provider of a payment sets its status, if it has one.',
    http: 'PATCH /orders/:id/payments/:payment',
    graphql: 'updateOrderPayment',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: OrderPaymentChange,
    output: OrderPayment,
    answer: { key: 'payment', message: 'Payment saved.' },
    errors: ['http.precondition_failed', 'orders.payment_not_found'],
    atomic: true,
    check: checkPaymentChange,
    run: updatePayment,
  }),
  ...shipmentActions,
  ...draftActions,
};
