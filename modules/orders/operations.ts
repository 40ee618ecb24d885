import { type OperationsOf, operation, Type, Uuid } from '@chowk/kit';
import { seen } from './columns.ts';
import { createOrder } from './create.ts';
import { conditions, countOrders } from './filters.ts';
import { listOrders } from './list.ts';
import { showOrder } from './orders.ts';
import {
  Filters,
  ListInput,
  type ListQuery,
  NewOrder,
  Order,
  OrderChanges,
  OrderDetail,
  OrderKey,
  OrderPage,
  StatusChange,
} from './schemas.ts';
import { changeStatus, updateOrder } from './update.ts';

export const operations = {
  'orders.get': operation({ input: OrderKey, output: OrderDetail, run: showOrder }),
  'orders.list': operation({
    input: ListInput,
    output: OrderPage,
    run: (ctx, query) => listOrders(ctx, query as ListQuery),
  }),
  'orders.count': operation({
    input: Filters,
    output: Type.Object({ count: Type.Integer() }),
    run: async (ctx, filters) => ({ count: await countOrders(ctx, filters, await conditions(ctx, filters)) }),
  }),
  'orders.create': operation({
    input: NewOrder,
    output: Order,
    run: async (ctx, input) => seen(ctx, await createOrder(ctx, input)),
  }),
  'orders.update': operation({
    input: Type.Object({ id: Uuid, ...OrderChanges.properties }),
    output: Order,
    run: async (ctx, { id, ...changes }) => seen(ctx, await updateOrder(ctx, { id }, changes)),
  }),
  'orders.updateStatus': operation({
    input: Type.Object({ id: Uuid, ...StatusChange.properties }),
    output: Order,
    run: async (ctx, { id, ...change }) => seen(ctx, await changeStatus(ctx, { id }, change)),
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Operations extends OperationsOf<typeof operations> {}
}
