import { type Ctx, Money, NamedObject, Nullable, type Static, Type, Uuid } from '@chowk/kit';
import { findRefusals, pickChoices, type ReadCart } from './cart.ts';
import { OrderItem } from './item-schemas.ts';
import { type PricedItem, priceOrder } from './price-order.ts';
import { type NewOrder, OrderMoney } from './schemas.ts';

const { id: _id, shipped_quantity: _shipped, ...itemFields } = OrderItem.properties;
const PreviewItem = NamedObject('OrderPreviewItem', {
  ...itemFields,
  available: Nullable(Type.Integer({ description: 'Units that can be sold now; null for free text.' })),
});

const Shortage = NamedObject('OrderShortage', {
  variant_id: Uuid,
  sku: Type.String(),
  requested: Type.Integer(),
  available: Type.Integer(),
});

export const OrderProblem = NamedObject('OrderPriceProblem', {
  field: Type.String(),
  code: Type.String(),
  message: Type.String(),
});

export const OrderPreview = NamedObject('OrderPreview', {
  currency: Type.String({ examples: ['INR'] }),
  items: Type.Array(PreviewItem),
  ...OrderMoney.properties,
  out_of_stock: Type.Array(Shortage, { description: 'The variants with too few units in stock.' }),
  shipping_rates: Type.Array(
    NamedObject('OrderShippingOffer', { id: Uuid, name: Type.String({ examples: ['Standard'] }), price: Money }),
    { description: 'The rates for the address, the cheapest first.' },
  ),
  problems: Type.Array(OrderProblem, {
    description:
      'Why this order cannot be created, such as a discount code that has expired or a product that is archived.',
  }),
});
type OrderPreview = Static<typeof OrderPreview>;

/** What an order would cost now. Changes nothing. */
export async function previewOrder(ctx: Ctx, input: NewOrder, cart: ReadCart | undefined): Promise<OrderPreview> {
  const { currency, trackStock, items } = cart as ReadCart;
  const priced = await priceOrder(ctx, {
    currency,
    items,
    choices: pickChoices(input),
    total: input.total,
    address: input.shipping_address,
    customer_id: input.customer_id ?? input.customer.id,
  });
  return {
    currency,
    items: priced.items.map(({ id: _, continue_selling: __, refusal: ___, ...item }) => item),
    ...priced.money,
    out_of_stock: trackStock ? findShortages(priced.items) : [],
    shipping_rates: [...priced.shipping_rates],
    problems: [...findRefusals(items), ...priced.problems],
  };
}

/** Several items may have the same variant. */
function findShortages(items: readonly PricedItem[]): OrderPreview['out_of_stock'] {
  const byVariant = Map.groupBy(items, ({ variant_id }) => variant_id);
  return [...byVariant].flatMap(([variant_id, lines]) => {
    const [{ sku, available, continue_selling }] = lines as [PricedItem];
    const requested = lines.reduce((sum, { quantity }) => sum + quantity, 0);
    const isShort = variant_id !== null && available !== null && !continue_selling && requested > available;
    return isShort ? [{ variant_id, sku: sku as string, requested, available }] : [];
  });
}
