import type { CustomerAddress } from '@chowk/client';
import { addressFields, type OrderAddressField } from '../../address/address-fields.ts';
import { currencyDecimals, fromThousandths, toThousandths } from '../../format/amount.ts';

export interface DraftDiscount {
  readonly kind: 'percent' | 'fixed';
  /** Empty: none. */
  readonly value: string;
  /** Kept from what was saved. */
  readonly title?: string;
}

export interface DraftItem {
  readonly key: string;
  readonly name: string;
  readonly sku: string | null;
  readonly variantId?: string;
  readonly quantity: string;
  readonly price: string;
  readonly discount?: DraftDiscount;
  /** What the form does not show, as it was saved. */
  readonly rest?: object;
}

export const contactFields = ['first_name', 'last_name', 'phone', 'email'] as const;
export type ContactField = (typeof contactFields)[number];

export type ItemField = 'name' | 'quantity' | 'price';
export type ItemErrorField = ItemField | 'sku' | 'variant_id' | 'discount.value';

/** The names under which the platform reports errors of an order. */
export type OrderErrorName =
  | ('note' | 'total' | 'items' | 'customer.id')
  | ('discount_codes' | 'discounts.0.value' | 'shipping_rate_id' | 'shipping.price')
  | ('payments.0.method' | 'payments.0.reference')
  | `customer.${ContactField}`
  | `${'shipping' | 'billing'}_address.${OrderAddressField}`
  | `items.${number}.${ItemErrorField}`;
export type OrderErrors = Readonly<Partial<Record<OrderErrorName, string>>>;

export type Address = Partial<Record<OrderAddressField, string>>;

/** How the customer pays: `paid` was recorded already, the link is created with the order. */
export type PaymentPlan = 'later' | 'paid' | 'cash_on_delivery' | 'payment_link';

export interface OrderDraft {
  readonly customerId: string | undefined;
  /** A customer who may not be known yet; `undefined` until the user enters one. */
  readonly contact: Partial<Record<ContactField, string>> | undefined;
  readonly items: readonly DraftItem[];
  readonly address: Address;
  /** Empty if it is the same. */
  readonly billing: Address;
  readonly note: string;
  /** Separated by commas. */
  readonly code: string;
  readonly discount: DraftDiscount;
  /** The id of a rate, `own` for an amount of one's own, or empty. */
  readonly shippingRateId: string;
  readonly shippingPrice: string;
  readonly payment: { readonly plan: PaymentPlan; readonly method: string; readonly reference: string };
  /** When the saved draft was changed that this one is based on. */
  readonly basedOn?: string;
}

export const emptyDraft: OrderDraft = {
  customerId: undefined,
  contact: undefined,
  items: [],
  address: {},
  billing: {},
  note: '',
  code: '',
  discount: { kind: 'percent', value: '' },
  shippingRateId: '',
  shippingPrice: '',
  payment: { plan: 'later', method: '', reference: '' },
};

export function toOrderAddress(address: CustomerAddress): Address {
  return Object.fromEntries(addressFields.flatMap(({ name }) => (address[name] ? [[name, address[name]]] : [])));
}

export function parseQuantity({ quantity }: Pick<DraftItem, 'quantity'>): number | undefined {
  return /^\d{1,7}$/.test(quantity.trim()) ? Number(quantity) : undefined;
}

/** In thousandths. */
export function lineTotal(item: DraftItem): bigint | undefined {
  const [price, quantity] = [toThousandths(item.price), parseQuantity(item)];
  return price === undefined || quantity === undefined ? undefined : price * BigInt(quantity);
}

/** In thousandths, rounded to the decimals of the currency as the platform does it, and at most the price of the line. */
export function lineDiscount(item: DraftItem, currency: string | undefined): bigint | undefined {
  const [total, value] = [lineTotal(item), toThousandths(item.discount?.value ?? '')];
  if (!item.discount || total === undefined || value === undefined) return undefined;
  const amount = item.discount.kind === 'fixed' ? value : roundedShare(total, value, currency);
  return amount < total ? amount : total;
}

/** `percent` is in thousandths too. */
function roundedShare(total: bigint, percent: bigint, currency: string | undefined): bigint {
  const unit = 10n ** BigInt(3 - (currency === undefined ? 2 : currencyDecimals(currency)));
  const divisor = 100_000n * unit;
  return ((2n * total * percent + divisor) / (2n * divisor)) * unit;
}

/** The sum of the lines that are complete, after their discounts. */
export function orderTotal(items: readonly DraftItem[], currency: string | undefined): string {
  return fromThousandths(
    items.reduce((sum, item) => sum + (lineTotal(item) ?? 0n) - (lineDiscount(item, currency) ?? 0n), 0n),
    currency,
  );
}
