import type { CustomerAddress, NewOrder, ShippingAddress } from '@chowk/client';
import { type AddressField, addressFields } from '../../address/address-fields.ts';
import { forgetSubmission } from '../../form/submission.ts';
import type { Form } from '../../form/use-form.ts';
import { formatCents, parseCents, plainAmount } from '../../format/amount.ts';
import { useStored } from '../../session/stored.ts';

export interface DraftItem {
  readonly key: string;
  readonly name: string;
  readonly sku: string | null;
  readonly variantId?: string;
  readonly quantity: string;
  readonly price: string;
}

export const contactFields = ['first_name', 'last_name', 'phone', 'email'] as const;
export type ContactField = (typeof contactFields)[number];

export type ItemField = 'name' | 'quantity' | 'price';
export type ItemErrorField = ItemField | 'sku' | 'variant_id';

/** The names under which the platform reports errors of an order. */
export type OrderErrorName =
  | ('note' | 'total' | 'items' | 'customer.id')
  | ('discount_codes' | 'discounts.0.value' | 'shipping_rate_id' | 'shipping.price')
  | `customer.${ContactField}`
  | `shipping_address.${AddressField}`
  | `items.${number}.${ItemErrorField}`;
export type OrderErrors = Form<object, OrderErrorName>['errors'];

export interface OrderDraft {
  readonly customerId: string | undefined;
  /** A customer who may not be known yet; `undefined` until the user enters one. */
  readonly contact: Partial<Record<ContactField, string>> | undefined;
  readonly items: readonly DraftItem[];
  readonly address: Partial<Record<AddressField, string>>;
  readonly note: string;
  readonly code: string;
  readonly discount: { readonly kind: 'percent' | 'fixed'; readonly value: string };
  /** The id of a rate, `own` for an amount of one's own, or empty. */
  readonly shippingRateId: string;
  readonly shippingPrice: string;
}

const unpriced = { code: '', discount: { kind: 'percent', value: '' }, shippingRateId: '', shippingPrice: '' } as const;

/** What has been entered, kept by the browser until the order is created. */
export function useOrderDraft(customer: string | undefined) {
  const empty: OrderDraft = {
    ...{ customerId: customer, contact: undefined, items: [], address: {}, note: '' },
    ...unpriced,
  };
  const name = `order.${customer ?? 'new'}`;
  const [stored, setDraft] = useStored<OrderDraft>(`draft.${name}`, empty);
  // A draft of an older version has fewer fields.
  const draft = { ...empty, ...stored };
  return {
    name,
    draft,
    isEmpty: JSON.stringify(draft) === JSON.stringify(empty),
    change: (changes: Partial<OrderDraft>) => setDraft({ ...draft, ...changes }),
    clear() {
      setDraft(undefined);
      forgetSubmission(name);
    },
  };
}

export function toOrderAddress(address: CustomerAddress): OrderDraft['address'] {
  return Object.fromEntries(addressFields.flatMap(({ name }) => (address[name] ? [[name, address[name]]] : [])));
}

export function parseQuantity({ quantity }: Pick<DraftItem, 'quantity'>): number | undefined {
  return /^\d{1,7}$/.test(quantity.trim()) ? Number(quantity) : undefined;
}

export function lineTotal(item: DraftItem): bigint | undefined {
  const [cents, quantity] = [parseCents(item.price), parseQuantity(item)];
  return cents === undefined || quantity === undefined ? undefined : cents * BigInt(quantity);
}

/** The sum of the lines that are complete. */
export function orderTotal(items: readonly DraftItem[]): string {
  return formatCents(items.reduce((sum, item) => sum + (lineTotal(item) ?? 0n), 0n));
}

export function toOrder(draft: OrderDraft): NewOrder {
  const { customerId, contact, items, address, note } = draft;
  return {
    customer: customerId === undefined ? filled(contact ?? {}) : { id: customerId },
    items: items.map(({ name, sku, variantId, quantity, price }) => ({
      // What is no number is reported by the platform.
      name: name.trim(),
      sku,
      ...(variantId === undefined ? {} : { variant_id: variantId }),
      quantity: parseQuantity({ quantity }) ?? Number.NaN,
      price: plainAmount(price),
    })),
    ...toPriceChoices(draft),
    shipping_address: Object.keys(filled(address)).length === 0 ? null : (filled(address) as ShippingAddress),
    note: note.trim() || null,
  };
}

function toPriceChoices({ code, discount, shippingRateId, shippingPrice }: OrderDraft): Partial<NewOrder> {
  const value = plainAmount(discount.value);
  return {
    ...(code.trim() === '' ? {} : { discount_codes: [code.trim()] }),
    ...(value === '' ? {} : { discounts: [{ kind: discount.kind, value }] }),
    ...(shippingRateId === '' || shippingRateId === 'own' ? {} : { shipping_rate_id: shippingRateId }),
    ...(shippingRateId === 'own' && shippingPrice.trim() !== ''
      ? { shipping: { price: plainAmount(shippingPrice) } }
      : {}),
  };
}

/** What the price depends on; `undefined` while an item is not complete. */
export function toPreview(draft: OrderDraft): NewOrder | undefined {
  const isComplete =
    draft.items.length > 0 && draft.items.every((item) => item.name.trim() && lineTotal(item) !== undefined);
  if (!isComplete) return undefined;
  const { note: _, customer: __, ...order } = toOrder(draft);
  return { ...order, ...(draft.customerId === undefined ? {} : { customer_id: draft.customerId }) };
}

function filled<Name extends string>(fields: Partial<Record<Name, string>>): Partial<Record<Name, string>> {
  const entries = Object.entries<string | undefined>(fields).map(([name, text]) => [name, text?.trim()] as const);
  return Object.fromEntries(entries.filter(([, text]) => text)) as Partial<Record<Name, string>>;
}
