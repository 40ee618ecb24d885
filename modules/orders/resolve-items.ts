import type { Ctx, FieldError, Issues } from '@chowk/kit';
import type { OrderDiscountInput, OrderItemChange } from './item-schemas.ts';

/** An item with the values of its variant, before it is priced. */
export interface ResolvedItem {
  readonly id?: string | undefined;
  readonly name: string;
  readonly sku: string | null;
  readonly quantity: number;
  readonly price: string;
  readonly product_id: string | null;
  readonly variant_id: string | null;
  readonly image_url: string | null;
  readonly taxable: boolean;
  readonly tax_class: string;
  readonly tax_code: string | null;
  readonly weight_grams: number | null;
  readonly discount: OrderDiscountInput | null;
  /** Units that can be sold now; null for free text. */
  readonly available: number | null;
  readonly continue_selling: boolean;
  /** Why it cannot be added to an order: its product is not active. */
  readonly refusal: { readonly field: string; readonly message: string } | null;
}

interface Catalog {
  readonly currency: string;
  /** The currency of the prices of variants. */
  readonly ownCurrency: string;
  /** Whether an unknown SKU is an error as soon as there are products. */
  readonly trackStock: boolean;
  /** Whether only active products can be ordered. */
  readonly onlyActive: boolean;
}

/**
 * Finds the variants of the items. An item with the SKU of no variant is an error, unless the tenant has no products or the
 * order does not track stock: then it is free text, as is an item of the order whose product is gone. `undefined` if an item has a problem.
 */
export async function resolveItems(
  ctx: Ctx,
  items: readonly Partial<OrderItemChange>[],
  catalog: Catalog,
  issues: Issues,
): Promise<ResolvedItem[] | undefined> {
  const lines = items.map(({ variant_id, sku }) => ({
    ...(variant_id === undefined ? {} : { variant_id }),
    ...(sku ? { sku } : {}),
  }));
  const isNamed = lines.some((line) => Object.keys(line).length > 0);
  const found = isNamed ? await ctx.bus.callIfInstalled('products.resolveLines', { lines }) : null;
  const isStrict = catalog.trackStock && found?.has_products === true;
  const resolved = items.map((item, index) => {
    const variant = found?.lines[index] ?? null;
    const add = (field: string, message: string, code: FieldError['code']) => {
      const path = `items.${index}.${field}`;
      if (!issues.has(path)) issues.add(path, message, code);
      return undefined;
    };
    if (!variant && item.variant_id !== undefined) {
      return add('variant_id', `There is no variant ${item.variant_id}.`, 'unknown');
    }
    const isMissing = (field: 'name' | 'price') => item[field] === undefined && !issues.has(`items.${index}.${field}`);
    const needsVariant = (isStrict && item.id === undefined) || isMissing('name') || isMissing('price');
    if (!variant && item.sku && needsVariant) {
      return add('sku', `There is no product with the SKU ${item.sku}. An item without a SKU is free text.`, 'unknown');
    }
    const ownPrice = catalog.currency === catalog.ownCurrency ? variant?.price : undefined;
    const price = item.price ?? ownPrice;
    const name = item.name ?? (variant ? describeVariant(variant) : undefined);
    if (name === undefined) add('name', 'The name is required.', 'required');
    if (price === undefined) add('price', 'The price is required.', 'required');
    if (name === undefined || price === undefined || item.quantity === undefined) return undefined;
    const refusal = catalog.onlyActive && variant ? refuse(variant, index, item) : null;
    return { ...pickVariant(variant), ...pickOwn(item, variant), name, price, quantity: item.quantity, refusal };
  });
  return resolved.every((item) => item !== undefined) ? resolved : undefined;
}

interface Variant {
  readonly variant_id: string;
  readonly product_id: string;
  readonly sku: string;
  readonly title: string;
  readonly variant_title: string;
  readonly weight_grams: number | null;
  readonly taxable: boolean;
  readonly tax_class: string;
  readonly tax_code: string | null;
  readonly continue_selling: boolean;
  readonly available: number;
  readonly image_url: string | null;
  readonly status: 'draft' | 'active' | 'archived';
}

const refusals = { draft: 'is a draft', archived: 'is archived' };

function refuse(variant: Variant, index: number, { variant_id }: Partial<OrderItemChange>): ResolvedItem['refusal'] {
  const { status, sku } = variant;
  if (status === 'active') return null;
  const field = `items.${index}.${variant_id === undefined ? 'sku' : 'variant_id'}`;
  const name = `${describeVariant(variant)} (${sku})`;
  return { field, message: `${name} ${refusals[status]} and cannot be ordered. Only active products can.` };
}

function describeVariant({ title, variant_title }: Variant): string {
  return (variant_title === '' ? title : `${title}, ${variant_title}`).slice(0, 255);
}

function pickVariant(variant: Variant | null) {
  return {
    product_id: variant?.product_id ?? null,
    variant_id: variant?.variant_id ?? null,
    image_url: variant?.image_url ?? null,
    weight_grams: variant?.weight_grams ?? null,
    available: variant?.available ?? null,
    continue_selling: variant?.continue_selling ?? false,
  };
}

function pickOwn(item: Partial<OrderItemChange>, variant: Variant | null) {
  const { id, sku, taxable, tax_class, tax_code, discount } = item;
  return {
    ...(id === undefined ? {} : { id }),
    sku: variant?.sku ?? sku ?? null,
    taxable: taxable ?? variant?.taxable ?? true,
    tax_class: tax_class ?? variant?.tax_class ?? 'standard',
    tax_code: tax_code === undefined ? (variant?.tax_code ?? null) : tax_code,
    discount: discount ? { ...discount, title: discount.title ?? 'Discount' } : null,
  };
}
