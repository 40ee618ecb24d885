import { byInteger, byText, byTime, type Ctx, equals, type Issues, list, search, sql, Type } from '@chowk/kit';
import { Discount, type DiscountChanges, DiscountKind, DiscountStatus, NewDiscount } from './discount-schemas.ts';
import { fail } from './errors.ts';
import { records } from './records.ts';

const status = sql`CASE
  WHEN NOT r.is_active THEN 'inactive'
  WHEN r.starts_at > now() THEN 'scheduled'
  WHEN r.ends_at <= now() THEN 'expired'
  WHEN r.uses >= r.usage_limit THEN 'used_up'
  ELSE 'active' END`;

const discounts = records({
  table: 'discounts',
  New: NewDiscount,
  Row: Discount,
  expressions: { status },
  notFound: (id) => fail('pricing.discount_not_found', { id }),
  unique: { discounts_code: ['code', 'The code is taken.'] },
});

export const discountList = list({
  name: 'discounts',
  row: Discount,
  from: sql`discounts r`,
  alias: sql`r`,
  columns: discounts.columns,
  filters: {
    search: search('Words in code or title.', sql`fold(concat_ws(E'\n', r.code, r.title))`),
    kind: equals(DiscountKind, sql`r.kind`),
    is_active: equals(Type.Boolean(), sql`r.is_active`),
    status: equals(DiscountStatus, status),
  },
  sorts: {
    created_at: byTime(sql`r.created_at`),
    code: byText(sql`r.code_key`),
    uses: byInteger(sql`r.uses`),
  },
});

export const { get: getDiscount, remove: deleteDiscount } = discounts;

export async function checkNewDiscount(ctx: Ctx, input: Partial<NewDiscount>, issues: Issues): Promise<void> {
  checkFields(input, issues);
  await checkAmounts(ctx, input, issues);
  await checkCode(ctx, input.code, issues);
}

export const createDiscount = discounts.insert;

export async function checkDiscountChanges(
  ctx: Ctx,
  { id, ...changes }: Partial<DiscountChanges>,
  issues: Issues,
): Promise<{ current: Discount; fields: NewDiscount } | undefined> {
  if (id === undefined) return undefined;
  const current = await discounts.lock(ctx, id);
  const fields = discounts.merge(current, changes);
  checkFields(fields, issues);
  await checkAmounts(ctx, { ...changes, kind: fields.kind }, issues);
  if (fields.code.toLowerCase() !== current.code.toLowerCase()) await checkCode(ctx, fields.code, issues);
  return { current, fields };
}

export function updateDiscount(
  ctx: Ctx,
  _input: DiscountChanges,
  { current, fields }: { current: Discount; fields: NewDiscount },
): Promise<Discount> {
  return discounts.update(ctx, current, fields);
}

function checkFields(fields: Partial<NewDiscount>, issues: Issues): void {
  const { kind, value, applies_to, target_ids, starts_at, ends_at } = fields;
  if (kind !== undefined && value !== undefined) checkValue(kind, value, issues);
  if (applies_to !== undefined && applies_to !== 'all' && target_ids?.length === 0) {
    issues.add('target_ids', `The target ids must name the ${applies_to}.`, 'required');
  }
  if (starts_at && ends_at && ends_at <= starts_at) issues.add('ends_at', 'The end must be after the start.');
}

function checkValue(kind: NewDiscount['kind'], value: string, issues: Issues): void {
  if (kind === 'free_shipping') return;
  if (Number(value) === 0) issues.add('value', 'The value must be more than 0.', 'too_small');
  checkPercentage('value', { kind, value }, issues);
}

/** Discounts are in the tenant's currency. */
async function checkAmounts(
  ctx: Ctx,
  { kind, value, minimum_subtotal }: Partial<NewDiscount>,
  issues: Issues,
): Promise<void> {
  const { 'general.currency': currency } = await ctx.settings();
  if (kind === 'fixed') issues.checkDecimals('value', value, currency);
  issues.checkDecimals('minimum_subtotal', minimum_subtotal, currency);
}

export function checkPercentage(
  field: string,
  { kind, value }: { readonly kind?: string; readonly value?: string },
  issues: Issues,
): void {
  if (kind === 'percent' && value !== undefined && Number(value) > 100) {
    issues.add(field, 'A percentage must be at most 100.', 'too_large');
  }
}

async function checkCode(ctx: Ctx, code: string | undefined, issues: Issues): Promise<void> {
  if (code === undefined) return;
  const other = await ctx.db.row(sql`SELECT FROM discounts WHERE code_key = lower(${code})`);
  if (other) issues.add('code', 'The code is taken.', 'taken');
}
