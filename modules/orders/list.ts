import {
  between,
  byInteger,
  byNumber,
  byTime,
  type Ctx,
  containsWords,
  counter,
  eitherByUnion,
  equals,
  filter,
  isAmong,
  isIn,
  join,
  list,
  moneyBetween,
  type Sql,
  search,
  splitList,
  splitWords,
  sql,
  Type,
  Uuid,
} from '@chowk/kit';
import { columns, fulfillmentStatus, paymentStatus } from './columns.ts';
import { byExternalId } from './external-id-filter.ts';
import { maskOrder, withCustomers } from './masking.ts';
import { ListedOrder, Metadata, Order, PaymentStatus, statuses } from './schemas.ts';
import { FulfillmentStatus } from './shipment-schemas.ts';

const customerId = equals(Uuid, sql`o.customer_id`);
const table = {
  name: 'orders',
  from: sql`orders o`,
  alias: sql`o`,
  where: sql`o.deleted_at IS NULL`,
  columns,
  sorts: {
    placed_at: byTime(sql`o.placed_at`),
    total: byNumber(sql`o.total`),
    order_number: byInteger(sql`o.number`),
  },
} as const;

const words = search(
  'Words in order number, note, name or SKU of an item, or name or email of the customer.',
  sql`o.search_text`,
  async (text, ctx) => [...(await byCustomer(text, ctx)), ...byItem(text)],
  eitherByUnion(sql`o.id`, sql`orders o WHERE o.deleted_at IS NULL`),
);

/** The comparison with an empty object is that of the index. */
const MetadataQuery = {
  ...Metadata,
  description: 'Orders with all of these values, such as `metadata[source]=instagram`.',
} as typeof Metadata;

export const orderList = list({
  ...table,
  row: ListedOrder,
  filters: {
    // `#1001` finds the order 1001.
    search: { ...words, where: (text: string, ctx: Ctx) => words.where(text.replace(/(^|\s)#(?=\S)/g, '$1'), ctx) },
    ids: filter(Type.Array(Uuid, { maxItems: 100 }), (ids) => sql`o.id = ANY(${ids}::uuid[])`),
    status: isIn(statuses, sql`o.status`),
    customer_id: customerId,
    payment_status: equals(PaymentStatus, paymentStatus),
    fulfillment_status: equals(FulfillmentStatus, fulfillmentStatus),
    external_id: byExternalId,
    metadata: filter(MetadataQuery, (values) =>
      Object.keys(values).length === 0
        ? undefined
        : sql`o.metadata <> '{}' AND o.metadata @> ${JSON.stringify(values)}::jsonb`,
    ),
    ...between('placed', sql`o.placed_at`),
    ...moneyBetween('total', sql`o.total`),
  },
  total: (_ctx, { status, ...others }) => {
    if (Object.keys(others).length > 0) return undefined;
    const counted = status ? splitList(status) : statuses;
    return counter(...statuses.filter((name) => counted.includes(name)).map((name) => `orders.${name}`));
  },
  complete: (ctx, rows: readonly Order[]) => withCustomers(ctx, rows),
  csvFields: [
    'order_number',
    'status',
    'customer_id',
    'first_name',
    'last_name',
    'email',
    'phone',
    'currency',
    'total',
    'refunded_total',
    'items',
    'note',
    'placed_at',
    'created_at',
    'updated_at',
    'subtotal',
    'discount_total',
    'shipping_total',
    'tax_total',
    'paid_total',
    'payment_status',
    'fulfillment_status',
  ],
  csv: {
    first_name: ({ customer }) => customer?.first_name,
    last_name: ({ customer }) => customer?.last_name,
    email: ({ customer }) => customer?.email,
    phone: ({ customer }) => customer?.phone,
    items: ({ items }) => items.map(itemText).join('; '),
  },
});

export const customerOrderList = list({
  ...table,
  row: Order,
  scope: { customer_id: customerId },
  complete: async (ctx, rows: readonly Order[]) => rows.map((order) => maskOrder(ctx, order)),
});

async function byCustomer(text: string, ctx: Ctx) {
  return isAmong(sql`o.customer_id`, await ctx.bus.callIfInstalled('customers.findMatching', { text }));
}

/** All words are in one item. Words of one or two letters alone would be in too many. */
function byItem(text: string): readonly Sql[] {
  const words = splitWords(text);
  if (words.every((word) => word.length < 3)) return [];
  const found = join(containsWords(sql`order_search_text(i.name, i.sku)`, words, { once: true }), ' AND ');
  return [sql`o.id IN (SELECT i.order_id FROM order_items i WHERE ${found})`];
}

function itemText({ quantity, name, sku }: Order['items'][number]): string {
  return `${quantity} × ${name}${sku === null ? '' : ` (${sku})`}`;
}
