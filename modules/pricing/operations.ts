import { Default, Line, Nullable, operation, Type, Uuid } from '@chowk/kit';
import { Cart, PricedCart } from './cart-schemas.ts';
import { price } from './price.ts';
import { redeem } from './redeem.ts';

export const operations = {
  'pricing.price': operation({
    summary: 'Price a cart',
    description: 'Changes nothing. Codes that cannot be used are `problems` of the result.',
    input: Cart,
    output: PricedCart,
    run: price,
  }),
  'pricing.redeem': operation({
    summary: 'Record the discount codes that an order uses',
    description:
      'Codes that the order has used before and that are not among `codes` are released. Repeating the call changes nothing. ' +
      'Fails with `pricing.discount_used_up` or `pricing.discount_already_used`, and with 422 for an unknown code. The caller ' +
      'has locked the customer. Other orders with these codes wait until the transaction ends, so call it late.',
    atomic: true,
    input: Type.Object({
      order_id: Uuid,
      customer_id: Default(Nullable(Uuid), null),
      codes: Type.Array(Line(64), { maxItems: 10 }),
    }),
    run: redeem,
  }),
  'pricing.release': operation({
    summary: 'Release the discount codes of an order, such as a cancelled one',
    atomic: true,
    input: Type.Object({ order_id: Uuid }),
    run: (ctx, { order_id }) => redeem(ctx, { order_id, customer_id: null, codes: [] }),
  }),
};
