import { Message, type Route, route } from '@chowk/kit';
import { seen } from './columns.ts';
import { createOrder } from './create.ts';
import { exportOrders } from './export.ts';
import { countByStatus, listOrders } from './list.ts';
import { deleteOrder, showOrder } from './orders.ts';
import { refundOrder } from './refund.ts';
import {
  ById,
  Cancellation,
  CountsAnswer,
  ExportQuery,
  ListQuery,
  NewOrder,
  OrderAnswer,
  OrderChanges,
  OrderMessage,
  OrderPage,
  Refund,
  StatusChange,
} from './schemas.ts';
import { changeStatus, updateOrder } from './update.ts';

const tag = 'Orders';

export const routes: Route[] = [
  route({
    method: 'GET',
    path: '/orders',
    tag,
    summary: 'A page of orders that the filters find, with items and customers.',
    needs: 'orders.view',
    query: ListQuery,
    answer: OrderPage,
    run: (ctx, { query }) => listOrders(ctx, query),
  }),
  route({
    method: 'POST',
    path: '/orders',
    tag,
    summary: 'Makes an order of a customer that is found by id, phone or email, or made.',
    needs: 'orders.create',
    body: NewOrder,
    status: 201,
    answer: OrderMessage,
    run: async (ctx, { body }) => ({
      message: 'The order was created.',
      order: seen(ctx, await createOrder(ctx, body)),
    }),
  }),
  route({
    method: 'GET',
    path: '/orders/counts',
    tag,
    summary: 'How many orders there are in each status.',
    needs: 'orders.view',
    answer: CountsAnswer,
    run: countByStatus,
  }),
  route({
    method: 'GET',
    path: '/orders/export',
    tag,
    summary: 'All orders that the filters find, as a CSV or JSON file.',
    needs: 'orders.export',
    query: ExportQuery,
    run: (ctx, { query }) => exportOrders(ctx, query),
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    tag,
    summary: 'One order with items, customer and history.',
    needs: 'orders.view',
    params: ById,
    answer: OrderAnswer,
    run: async (ctx, { params }) => ({ order: await showOrder(ctx, params) }),
  }),
  route({
    method: 'PATCH',
    path: '/orders/:id',
    tag,
    summary: 'Changes the given fields of an order; items are replaced as a whole.',
    needs: 'orders.edit',
    params: ById,
    body: OrderChanges,
    answer: OrderMessage,
    run: async (ctx, { params, body }) => ({
      message: 'The order was saved.',
      order: seen(ctx, await updateOrder(ctx, params, body)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/orders/:id',
    tag,
    summary: 'Deletes an order; it counts nowhere any more.',
    needs: 'orders.delete',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      await deleteOrder(ctx, params);
      return { message: 'The order was deleted.' };
    },
  }),
  route({
    method: 'POST',
    path: '/orders/:id/status',
    tag,
    summary: 'Sets the status; cancelled and refunded need orders.cancel and orders.refund besides.',
    needs: 'orders.edit',
    params: ById,
    body: StatusChange,
    answer: OrderMessage,
    run: async (ctx, { params, body }) => ({
      message: 'The status was changed.',
      order: seen(ctx, await changeStatus(ctx, params, body)),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/cancel',
    tag,
    summary: 'Cancels an order that has not left.',
    needs: 'orders.cancel',
    params: ById,
    body: Cancellation,
    answer: OrderMessage,
    run: async (ctx, { params, body }) => ({
      message: 'The order was cancelled.',
      order: seen(ctx, await changeStatus(ctx, params, { ...body, status: 'cancelled' })),
    }),
  }),
  route({
    method: 'POST',
    path: '/orders/:id/refund',
    tag,
    summary: 'Refunds an amount, or all that is left; an order of which nothing is left is refunded.',
    needs: 'orders.refund',
    params: ById,
    body: Refund,
    answer: OrderMessage,
    run: async (ctx, { params, body }) => ({
      message: 'The refund was recorded.',
      order: seen(ctx, await refundOrder(ctx, params, body)),
    }),
  }),
];
