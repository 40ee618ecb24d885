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
  readonly quantity: string;
  readonly price: string;
}

export const contactFields = ['first_name', 'last_name', 'phone', 'email'] as const;
export type ContactField = (typeof contactFields)[number];

export type ItemField = 'name' | 'quantity' | 'price';

/** The names under which the platform reports errors of an order. */
export type OrderErrorName =
  | ('note' | 'total' | 'items' | 'customer.id')
  | `customer.${ContactField}`
  | `shipping_address.${AddressField}`
  | `items.${number}.${ItemField}`;
export type OrderErrors = Form<object, OrderErrorName>['errors'];

export interface OrderDraft {
  readonly customerId: string | undefined;
  /** A customer who may not be known yet; `undefined` until the user enters one. */
  readonly contact: Partial<Record<ContactField, string>> | undefined;
  readonly items: readonly DraftItem[];
  readonly address: Partial<Record<AddressField, string>>;
  readonly note: string;
}

/** What has been entered, kept by the browser until the order is created. */
export function useOrderDraft(customer: string | undefined) {
  const empty: OrderDraft = { customerId: customer, contact: undefined, items: [], address: {}, note: '' };
  const name = `order.${customer ?? 'new'}`;
  const [draft, setDraft] = useStored<OrderDraft>(`draft.${name}`, empty);
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

export function toOrder({ customerId, contact, items, address, note }: OrderDraft): NewOrder {
  return {
    customer: customerId === undefined ? filled(contact ?? {}) : { id: customerId },
    items: items.map(({ name, sku, quantity, price }) => ({
      // What is no number is reported by the platform.
      name: name.trim(),
      sku,
      quantity: parseQuantity({ quantity }) ?? Number.NaN,
      price: plainAmount(price),
    })),
    shipping_address: Object.keys(filled(address)).length === 0 ? null : (filled(address) as ShippingAddress),
    note: note.trim() || null,
  };
}

function filled<Name extends string>(fields: Partial<Record<Name, string>>): Partial<Record<Name, string>> {
  const entries = Object.entries<string | undefined>(fields).map(([name, text]) => [name, text?.trim()] as const);
  return Object.fromEntries(entries.filter(([, text]) => text)) as Partial<Record<Name, string>>;
}
