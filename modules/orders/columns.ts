import { columnsFor, type Sql, sql } from '@chowk/kit';
import { HistoryEntry, Order, OrderItem } from './schemas.ts';

const item = columnsFor(OrderItem, sql`i`, { total: sql`(i.quantity * i.price)::numeric(20, 2)::text` });

/** An order from a row of `orders o`; `items` is the table with its items. */
export function columnsWith(items: Sql): Sql {
  return columnsFor(Order, sql`o`, {
    items: sql`(SELECT coalesce(json_agg(i), '[]') FROM (
      SELECT ${item} FROM ${items} i WHERE i.order_id = o.id ORDER BY i.position) i)`,
  });
}

export const columns = columnsWith(sql`order_items`);

const entry = columnsFor(HistoryEntry, sql`h`, { at: sql`iso(h.at)` });

export const history = sql`(SELECT coalesce(json_agg(h), '[]') FROM (
  SELECT ${entry} FROM order_history h WHERE h.order_id = o.id ORDER BY h.at, h.id) h) AS history`;
