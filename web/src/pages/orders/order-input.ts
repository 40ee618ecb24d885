import type {
  DraftOrderChanges,
  DraftOrderDetails,
  NewOrder,
  OrderDiscountInput,
  ShippingAddress,
} from '@chowk/client';
import { orderAddressFields } from '../../address/address-fields.ts';
import { plainAmount } from '../../format/amount.ts';
import {
  type Address,
  type DraftDiscount,
  emptyDraft,
  lineTotal,
  type OrderDraft,
  parseQuantity,
} from './order-draft.ts';

/* What the form has, as the platform takes it, and the other way round. */

export function toOrder(draft: OrderDraft): NewOrder {
  const { customerId, contact, items, address, billing, note } = draft;
  return {
    customer: customerId === undefined ? filled(contact ?? {}) : { id: customerId },
    items: items.map(({ name, sku, variantId, quantity, price, discount, rest }) => ({
      ...rest,
      // What is no number is reported by the platform.
      name: name.trim(),
      sku,
      ...(variantId === undefined ? {} : { variant_id: variantId }),
      quantity: parseQuantity({ quantity }) ?? Number.NaN,
      price: plainAmount(price),
      ...(hasValue(discount) ? { discount: toDiscount(discount) } : {}),
    })),
    ...toPriceChoices(draft),
    ...toPayment(draft),
    shipping_address: toAddress(address),
    billing_address: toAddress(billing),
    note: note.trim() || null,
  };
}

function toAddress(address: Address): ShippingAddress | null {
  const fields = filled(address);
  return Object.keys(fields).length === 0 ? null : fields;
}

export function hasValue(discount: DraftDiscount | undefined): discount is DraftDiscount {
  return discount !== undefined && discount.value.trim() !== '';
}

export function toDiscount({ kind, value, title }: DraftDiscount) {
  return { ...(title === undefined ? {} : { title }), kind, value: plainAmount(value) };
}

export function fromDiscount({ kind, value, title }: OrderDiscountInput): DraftDiscount {
  return { kind, value: String(value), ...(title === undefined ? {} : { title }) };
}

function toPriceChoices({ code, discount, shippingRateId, shippingPrice }: OrderDraft): Partial<NewOrder> {
  const isOwn = shippingRateId === 'own';
  return {
    discount_codes: code
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
    discounts: hasValue(discount) ? [toDiscount(discount)] : [],
    shipping_rate_id: isOwn ? null : shippingRateId || null,
    shipping: isOwn && shippingPrice.trim() !== '' ? { price: plainAmount(shippingPrice) } : null,
  };
}

function toPayment({ payment: { plan, method, reference } }: OrderDraft): Partial<NewOrder> {
  return {
    payment_method: plan === 'cash_on_delivery' || plan === 'payment_link' ? plan : null,
    payments: plan === 'paid' ? [{ method: method.trim(), reference: reference.trim() || null }] : [],
  };
}

/** What the price depends on; `undefined` while an item is not complete. */
export function toPreview(draft: OrderDraft): NewOrder | undefined {
  const isComplete =
    draft.items.length > 0 && draft.items.every((item) => item.name.trim() && lineTotal(item) !== undefined);
  if (!isComplete) return undefined;
  const { items, discount_codes, discounts, shipping_rate_id, shipping, shipping_address } = toOrder(draft);
  const customer = draft.customerId === undefined ? {} : { customer_id: draft.customerId };
  return { items, discount_codes, discounts, shipping_rate_id, shipping, shipping_address, ...customer };
}

/** A saved draft, in the form. Names and prices that it leaves to the products are those of today. */
export function fromSaved({ input, customer_id, preview, updated_at }: DraftOrderDetails): OrderDraft {
  const [discount] = input.discounts ?? [];
  return {
    ...emptyDraft,
    customerId: customer_id ?? undefined,
    items: input.items.map(({ name, sku, variant_id, quantity, price, discount: off, ...rest }, index) => {
      const today = preview?.items[index];
      return {
        key: String(index + 1),
        name: name ?? today?.name ?? sku ?? '',
        sku,
        ...(variant_id === undefined ? {} : { variantId: variant_id }),
        quantity: String(quantity),
        price: String(price ?? today?.price ?? ''),
        ...(off ? { discount: fromDiscount(off) } : {}),
        ...(Object.keys(rest).length === 0 ? {} : { rest }),
      };
    }),
    address: fromAddress(input.shipping_address),
    billing: fromAddress(input.billing_address),
    note: input.note ?? '',
    code: (input.discount_codes ?? []).join(', '),
    ...(discount ? { discount: { kind: discount.kind, value: String(discount.value) } } : {}),
    shippingRateId: input.shipping ? 'own' : (input.shipping_rate_id ?? ''),
    shippingPrice: String(input.shipping?.price ?? ''),
    payment: fromPayment(input),
    basedOn: updated_at,
  };
}

function fromAddress(address: ShippingAddress | null): Address {
  return Object.fromEntries(orderAddressFields.flatMap(({ name }) => (address?.[name] ? [[name, address[name]]] : [])));
}

function fromPayment({ payments: [paid], payment_method: plan }: DraftOrderDetails['input']): OrderDraft['payment'] {
  if (paid) return { plan: 'paid', method: paid.method, reference: paid.reference ?? '' };
  const isKnown = plan === 'cash_on_delivery' || plan === 'payment_link';
  return { ...emptyDraft.payment, plan: isKnown ? plan : 'later' };
}

/** The fields that were changed in the form. If there are several discounts or payments, it shows the first; the others stay. */
export function draftChanges(saved: DraftOrderDetails, edited: OrderDraft): DraftOrderChanges {
  const before: Readonly<Record<string, unknown>> = { ...toOrder(fromSaved(saved)) };
  const changed = Object.entries(toOrder(edited)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  const { discounts, payments, shipping } = saved.input;
  const changes: DraftOrderChanges = Object.fromEntries(changed);
  return {
    ...changes,
    ...(changes.discounts && { discounts: withOthers(discounts ?? [], changes.discounts) }),
    ...(changes.payments && { payments: withOthers(payments, changes.payments) }),
    ...(changes.shipping && { shipping: { ...shipping, ...changes.shipping } }),
  };
}

function withOthers<Saved, Edited>([first, ...others]: readonly Saved[], [edited]: readonly Edited[]) {
  return edited === undefined ? others : [{ ...first, ...edited }, ...others];
}

function filled<Name extends string>(fields: Partial<Record<Name, string>>): Partial<Record<Name, string>> {
  const entries = Object.entries<string | undefined>(fields).map(([name, text]) => [name, text?.trim()] as const);
  return Object.fromEntries(entries.filter(([, text]) => text)) as Partial<Record<Name, string>>;
}
