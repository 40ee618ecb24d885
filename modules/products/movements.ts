import { byTime, type Ctx, columnsFor, equals, insertRecords, list, sql, Uuid } from '@chowk/kit';
import { StockMovement } from './stock-schemas.ts';

export const movementList = list({
  name: 'movements',
  row: StockMovement,
  from: sql`stock_movements m`,
  alias: sql`m`,
  columns: columnsFor(StockMovement, sql`m`),
  scope: { id: equals(Uuid, sql`m.product_id`) },
  filters: { variant: equals(Uuid, sql`m.variant_id`), order: equals(Uuid, sql`m.order_id`) },
  sorts: { at: byTime(sql`m.at`) },
  updatedAt: sql`m.at`,
  complete: withOrderNumbers,
});

/** Movements of orders refer to the number of the order, which is taken after its stock. */
async function withOrderNumbers(ctx: Ctx, movements: readonly StockMovement[]): Promise<StockMovement[]> {
  const ids = [...new Set(movements.flatMap(({ order_id }) => (order_id === null ? [] : [order_id])))];
  const orders = ids.length === 0 ? [] : await ctx.bus.callIfInstalled('orders.listNumbers', { ids });
  const numbers = new Map(orders?.map(({ id, order_number }) => [id, order_number]));
  return movements.map((movement) => {
    const { order_id, reference } = movement;
    return { ...movement, reference: reference ?? (order_id && numbers.get(order_id)) ?? null };
  });
}

type NewMovement = { readonly product_id: string; readonly reason: string } & Partial<StockMovement>;

export async function logMovements(ctx: Ctx, movements: readonly NewMovement[]): Promise<void> {
  if (movements.length === 0) return;
  const common = { change: 0, reserved_change: 0, user_id: ctx.userId ?? null, at: ctx.now() };
  const rows = movements.map((movement) => ({ ...common, id: ctx.newId(), ...movement }));
  await insertRecords(ctx, 'stock_movements', rows);
}
