import {
  Currency,
  Default,
  Money,
  NamedObject,
  Nullable,
  Pagination,
  paging,
  type Static,
  Type,
  Uuid,
} from '@chowk/kit';

const Day = Type.String({ format: 'date', examples: ['2026-01-31'] });

/** The days of a report. */
export const period = {
  from: Type.Optional({ ...Day, description: 'The first day. Default: 29 days before the last.' }),
  to: Type.Optional({ ...Day, description: "The last day. Default: today in the tenant's time zone." }),
  currency: Type.Optional({ ...Currency, description: "The orders in this currency. Default: the tenant's." }),
};
export type PeriodInput = Static<ReturnType<typeof Type.Object<typeof period>>>;

const shownPeriod = {
  from: Day,
  to: Day,
  timezone: Type.String({ description: 'That of the days.', examples: ['Asia/Kolkata'] }),
  currency: Type.String({ description: 'That of all amounts.', examples: ['INR'] }),
  other_currencies: Type.Array(Type.String(), { description: 'Currencies of other orders of these days.' }),
};

const format = { format: Default(Type.Enum(['csv', 'json']), 'csv') };
const pages = { page: paging.page, per_page: paging.per_page };
const sort_order = Default(Type.Enum(['asc', 'desc']), 'desc');

const sums = {
  orders: Type.Integer({ description: 'Pending, cancelled and failed orders do not count in any figure.' }),
  units: Type.Integer({ description: 'Units sold.' }),
  revenue: { ...Money, description: 'Totals with taxes and shipping, before refunds.' },
  discounts: { ...Money, description: 'What discounts have taken from the prices.' },
  refunded: { ...Money, description: 'What was refunded of these orders, whenever that was.' },
  taxes: { ...Money, description: 'Taxes of the orders, before refunds.' },
  shipping: { ...Money, description: 'Shipping after discounts, without taxes, before refunds.' },
  net_revenue: { ...Money, description: 'Totals without taxes and shipping, less the part of them that was refunded.' },
};
export const SalesSums = NamedObject('SalesSums', sums);
export type SalesSums = Static<typeof SalesSums>;

export const SalesGroup = Type.Enum(['day', 'week', 'month', 'product', 'variant', 'segment', 'discount']);
export type SalesGroup = Static<typeof SalesGroup>;

export const SalesRow = NamedObject('SalesRow', {
  key: Type.String({
    description:
      'The first day of the day, week or month; the id of the product, variant or discount; the key of the segment. Items and discounts ' +
      'that have no id have their SKU or name.',
    examples: ['2026-01-31'],
  }),
  name: Type.String({ description: 'The latest name; empty for days, weeks and months.', examples: ['Green tea'] }),
  code: Nullable(
    Type.String({ description: 'The SKU of a variant or the code of a discount.', examples: ['TEA-250'] }),
  ),
  ...sums,
});
export type SalesRow = Static<typeof SalesRow>;

const salesQuery = {
  group_by: Default(SalesGroup, 'day'),
  ...period,
  sort_by: Default(
    Type.Enum(['revenue', 'net_revenue', 'orders', 'units', 'discounts', 'refunded', 'name'], {
      description: 'Days, weeks and months are always in order of time, and segments in their own.',
    }),
    'revenue',
  ),
  sort_order,
};
export const SalesQuery = Type.Object({
  ...salesQuery,
  page: { ...paging.page, description: 'Products, variants and discounts have pages; all others are on one.' },
  per_page: paging.per_page,
});
export type SalesQuery = Static<typeof SalesQuery>;
export const SalesExport = Type.Object({ ...salesQuery, ...format });
export type SalesExport = Static<typeof SalesExport>;

export const SalesReport = NamedObject('SalesReport', {
  group_by: SalesGroup,
  ...shownPeriod,
  totals: { ...SalesSums, description: 'All orders of the days, however they are grouped.' },
  rows: Type.Array(SalesRow),
  pagination: Pagination,
});
export type SalesReport = Static<typeof SalesReport>;

export const TaxRow = NamedObject('TaxRow', {
  name: Type.String({ examples: ['CGST'] }),
  rate: Nullable(Type.String({ description: 'Percent; null if only the amount is known.', examples: ['9.00'] })),
  orders: Type.Integer(),
  taxable: { ...Money, description: 'What the tax was calculated from, before refunds.' },
  tax: { ...Money, description: 'Before refunds.' },
  refunded_tax: { ...Money, description: 'The part of the tax that was refunded.' },
  net_tax: { ...Money, description: 'The tax less what was refunded of it.' },
});
export type TaxRow = Static<typeof TaxRow>;

export const TaxQuery = Type.Object(period);
export const TaxExport = Type.Object({ ...period, ...format });
export type TaxExport = Static<typeof TaxExport>;

export const TaxReport = NamedObject('TaxReport', {
  ...shownPeriod,
  totals: NamedObject('TaxTotals', { tax: Money, refunded_tax: Money, net_tax: Money }),
  taxes: Type.Array(TaxRow),
});
export type TaxReport = Static<typeof TaxReport>;

const stockQuery = {
  low_stock: Type.Optional(
    Type.Boolean({ description: 'Whether `products.low_stock_threshold` units or fewer are available.' }),
  ),
  sort_by: Default(Type.Enum(['value', 'available', 'stock', 'sku', 'title']), 'value'),
  sort_order,
};
export const StockQuery = Type.Object({ ...stockQuery, ...pages });
export type StockQuery = Static<typeof StockQuery>;
export const StockExport = Type.Object({ ...stockQuery, ...format });
export type StockExport = Static<typeof StockExport>;

export const StockRow = NamedObject('StockRow', {
  variant_id: Uuid,
  product_id: Uuid,
  title: Type.String({ description: 'The title of the product.', examples: ['Green tea'] }),
  variant_title: Type.String({ examples: ['250 g'] }),
  sku: Type.String({ examples: ['TEA-250'] }),
  stock: Type.Integer({ description: 'Units on hand.' }),
  reserved: Type.Integer(),
  available: Type.Integer({ description: 'Units that can be sold.' }),
  price: Money,
  value: { ...Money, description: 'Units on hand times price.' },
  is_low: Type.Boolean(),
});

export const StockReport = NamedObject('StockReport', {
  currency: Type.String({ description: 'That of all amounts.', examples: ['INR'] }),
  totals: NamedObject('StockSums', {
    variants: Type.Integer(),
    units: Type.Integer({ description: 'Units on hand.' }),
    value: { ...Money, description: 'Units on hand times price.' },
    low: Type.Integer({ description: 'Variants that are low, those that are out of stock included.' }),
    out_of_stock: Type.Integer(),
  }),
  variants: Type.Array(StockRow),
  pagination: Pagination,
});
export type StockReport = Static<typeof StockReport>;
