import {
  between,
  byInteger,
  byNumber,
  byText,
  byTime,
  type Ctx,
  counter,
  Email,
  equals,
  filter,
  forbidden,
  hasTags,
  invalid,
  join,
  list,
  MoneyInput,
  type Sql,
  search,
  sql,
  TextMap,
  Type,
  Uuid,
} from '@chowk/kit';
import { canViewSensitive, columns } from './columns.ts';
import { selectByExternalId } from './external-ids.ts';
import { phoneDigits, readPhone } from './phone.ts';
import { Customer, CustomerRow, type ExternalIdKey, SegmentKey } from './schemas.ts';
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

const FilterEmail = Type.Unsafe<string>({ ...Email, description: 'The whole email.' });
const FilterPhone = Type.String({
  maxLength: 32,
  description: 'The whole phone. Needs customers.view_sensitive.',
  examples: ['+919876543210'],
});
const FilterExternalId = Type.String({
  maxLength: 310,
  description: 'Platform and id, separated by a colon.',
  examples: ['shopify:7712'],
});
const FilterMetadata = TextMap(100, Type.String({ maxLength: 5_000 }), {
  description: 'Customers with all of these values, such as `metadata[loyalty_tier]=gold`.',
  examples: [{ loyalty_tier: 'gold' }],
});

async function byPhone(text: string, ctx: Ctx): Promise<Sql> {
  if (!canViewSensitive(ctx)) throw forbidden('customers.view_sensitive');
  return sql`c.phone = ${(await readPhone(ctx, text)) ?? ''}`;
}

function readExternalId(text: string): ExternalIdKey {
  const colon = text.indexOf(':');
  if (colon < 1) throw invalid({ external_id: 'Write platform and id, separated by a colon: shopify:7712.' });
  return { platform: text.slice(0, colon), external_id: text.slice(colon + 1).trim() };
}

function hasMetadata(key: string, value: string): Sql {
  return sql`c.id = ANY(ARRAY(
    SELECT customer_id FROM customer_metadata WHERE key = ${key} AND md5(value) = md5(${value}) AND value = ${value}))`;
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
    email: filter(FilterEmail, (email) => sql`c.email = ${email}`),
    phone: filter(FilterPhone, byPhone),
    external_id: filter(
      FilterExternalId,
      (text) => sql`c.id = ANY(ARRAY(${selectByExternalId(readExternalId(text))}))`,
    ),
    metadata: filter(FilterMetadata, (values) => {
      const conditions = Object.entries(values).map(([key, value]) => hasMetadata(key, value));
      return conditions.length === 0 ? undefined : join(conditions, ' AND ');
    }),
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
