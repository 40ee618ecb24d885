import type { Ctx, Random } from '@chowk/kit';
import type { DemoShares } from '@chowk/kit/catalogue';
import { priceOrder } from './price-order.ts';
import type { ResolvedItem } from './resolve-items.ts';

/** So many of the latest orders are priced by the rules of the tenant; the others cost what their items do. */
const pricedOrders = 500;

/** Prices are in hundredths. */
export interface DemoItem {
  readonly name: string;
  readonly sku: string;
  readonly price: number;
  readonly quantity: number;
}

interface DemoPrice {
  /** In hundredths. */
  readonly total: number;
  /** Columns of the order, and of each item. */
  readonly order: Readonly<Record<string, unknown>>;
  readonly items: readonly Readonly<Record<string, unknown> & Pick<DemoItem, 'quantity'>>[];
}

export interface DemoPricing {
  readonly currency: string;
  readonly products: DemoShares['products'];
  readonly random: Random;
  /** The number of orders. */
  readonly count: number;
}

/** Returns the function that prices the items of an order: with taxes, shipping, and a discount now and then. */
export async function demoPricing(ctx: Ctx, { currency, products, random, count }: DemoPricing) {
  const { 'general.country': country, 'pricing.state': state } = await ctx.settings();
  const address = { country, state };
  const lines = products.map(({ sku }) => ({ sku }));
  const resolved = await ctx.bus.callIfInstalled('products.resolveLines', { lines });
  const variants = new Map(resolved?.lines.flatMap((line) => (line?.sku ? [[line.sku, line]] : [])));

  const resolveItem = ({ price, ...item }: DemoItem): ResolvedItem => {
    const { product_id, variant_id, image_url, taxable, tax_class, tax_code, weight_grams } =
      variants.get(item.sku) ?? {};
    return {
      ...item,
      price: (price / 100).toFixed(2),
      product_id: product_id ?? null,
      variant_id: variant_id ?? null,
      image_url: image_url ?? null,
      taxable: taxable ?? true,
      tax_class: tax_class ?? 'standard',
      tax_code: tax_code ?? null,
      weight_grams: weight_grams ?? null,
      discount: null,
      available: null,
      continue_selling: false,
      refusal: null,
    };
  };

  return async (index: number, items: readonly DemoItem[]): Promise<DemoPrice> => {
    const cart = { currency, items: items.map(resolveItem), address };
    const subtotal = items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
    if (index < count - pricedOrders) return { total: subtotal, order: plainOrder, items: cart.items.map(plainItem) };
    const discounts = random() < 0.2 ? [{ title: 'Loyalty discount', kind: 'percent' as const, value: '5' }] : [];
    const shipping = { title: 'Standard', price: subtotal < 99_900 ? '49.00' : '0.00' };
    const { money, items: priced } = await priceOrder(ctx, { ...cart, choices: { discounts, shipping } });
    const { total, discounts: applied, taxes, shipping: charge, ...amounts } = money;
    return {
      total: Math.round(Number(total) * 100),
      order: {
        ...amounts,
        discounts: JSON.stringify(applied),
        taxes: JSON.stringify(taxes),
        shipping: charge && JSON.stringify(charge),
        price_choices: JSON.stringify({ discounts, shipping }),
      },
      items: priced.map(({ subtotal: before, discount_total, tax_total, taxes: own, total: after, ...item }) => {
        return {
          ...itemColumns(item),
          subtotal: before,
          discount_total,
          tax_total,
          taxes: JSON.stringify(own),
          total: after,
        };
      }),
    };
  };
}

const plainOrder = {
  subtotal: null,
  discount_total: 0,
  shipping_total: 0,
  tax_total: 0,
  prices_include_tax: false,
  discounts: '[]',
  taxes: '[]',
  shipping: null,
  price_choices: '{}',
};

function plainItem(item: ResolvedItem) {
  return { ...itemColumns(item), subtotal: null, discount_total: 0, tax_total: 0, taxes: '[]', total: null };
}

function itemColumns({ name, sku, quantity, price, product_id, variant_id, ...item }: ResolvedItem) {
  const { image_url, taxable, tax_class, tax_code, weight_grams } = item;
  return { name, sku, quantity, price, product_id, variant_id, image_url, taxable, tax_class, tax_code, weight_grams };
}
