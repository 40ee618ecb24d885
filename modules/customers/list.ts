import {
  between,
  byInteger,
  byNumber,
  byText,
  byTime,
  type Ctx,
  counter,
  equals,
  filter,
  hasTags,
  list,
  MoneyInput,
  type Sql,
  search,
  sql,
  Type,
  Uuid,
} from '@chowk/kit';
import { canViewSensitive, columns } from './columns.ts';
import { phoneDigits } from './phone.ts';
import { Customer, CustomerRow, SegmentKey } from './schemas.ts';
import { isInSegment, isVip, lastOrder, segmentCount } from './segments.ts';

export const textFilter = search(
  'Words in name or email, or part of a phone for callers with customers.view_sensitive.',
  sql`c.search_text`,
  async (text, ctx) => {
    const digits = canViewSensitive(ctx) ? phoneDigits(text) : undefined;
    return digits === undefined ? [] : [containsDigits(digits)];
  },
);

export function containsDigits(digits: string): Sql {
  return sql`c.phone_digits LIKE ${`%${digits}%`}`;
}

const definition = {
  name: 'customers' as const,
  row: Customer,
  from: sql`customers c`,
  alias: sql`c`,
  where: sql`c.deleted_at IS NULL`,
  columns,
  filters: {
    search: textFilter,
    ids: filter(Type.Array(Uuid, { maxItems: 100 }), (ids) => sql`c.id = ANY(${ids}::uuid[])`),
    tags: hasTags(sql`c.tags`),
    accepts_marketing: equals(Type.Boolean(), sql`c.accepts_marketing`),
    vip: filter(Type.Boolean({ description: 'Whether the customer is a VIP.' }), async (vip, ctx) =>
      vip ? isVip(ctx) : sql`NOT ${await isVip(ctx)}`,
    ),
    segment: filter(SegmentKey, (key, ctx) => isInSegment(ctx, key)),
    min_orders: filter(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
      (orders) => sql`c.total_orders >= ${orders}`,
    ),
    min_spent: filter(MoneyInput, (amount) => sql`c.total_spent >= ${amount}`),
    ...between('created', sql`c.created_at`),
  },
  sorts: {
    created_at: byTime(sql`c.created_at`),
    first_name: byText(sql`c.first_name_key`),
    total_orders: byInteger(sql`c.total_orders`),
    total_spent: byNumber(sql`c.total_spent`),
    last_order_at: byTime(lastOrder),
  },
  total: async (ctx: Ctx, filters: { accepts_marketing?: boolean; vip?: boolean; segment?: SegmentKey }) => {
    const names = Object.keys(filters);
    if (names.length === 0) return counter('customers');
    if (names.length > 1) return undefined;
    const { accepts_marketing, vip, segment = vip ? 'vip' : accepts_marketing ? 'marketing' : undefined } = filters;
    return segment && segmentCount(ctx, segment);
  },
};

export const customerList = list(definition);

/** Files also have the notes. */
export const customerFile = list({
  ...definition,
  row: CustomerRow,
  columns: (ctx: Ctx) => sql`${columns(ctx)}, c.notes`,
});
