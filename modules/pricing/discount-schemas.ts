import {
  Default,
  extend,
  Line,
  Money,
  MoneyInput,
  Nullable,
  NullableLine,
  NullableMoneyInput,
  named,
  outputFields,
  type Static,
  Timestamp,
  TimestampInput,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';

export const DiscountKind = Type.Enum(['percent', 'fixed', 'free_shipping'], {
  description: 'Whether it takes off a share, an amount or the shipping.',
});

export const DiscountStatus = Type.Enum(['active', 'scheduled', 'expired', 'used_up', 'inactive'], {
  description: 'Whether the code can be used now, and if not, why.',
});

/** One schema instead of a union gives better messages. */
const Time = Type.Unsafe<string | null>({ ...TimestampInput, type: ['string', 'null'] });
const Count = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: 1_000_000_000, description });

export const NewDiscount = named(
  'NewDiscount',
  Type.Object({
    code: Line(64, {
      pattern: '^[\\p{L}\\p{M}\\p{N}_.%+-]+$',
      description: 'Letters, digits and _ . % + -, in upper or lower case.',
      examples: ['WELCOME10'],
    }),
    title: Default(NullableLine(255, { examples: ['10 % off the first order'] }), null),
    kind: DiscountKind,
    value: Default(
      { ...MoneyInput, description: 'A percentage of at most 100, or an amount. Not for `free_shipping`.' },
      '0.00',
    ),
    applies_to: Default(
      Type.Enum(['all', 'products', 'collections', 'variants'], {
        description: 'Whether the code applies to all lines or to those of `target_ids`.',
      }),
      'all',
    ),
    target_ids: Default(
      Type.Array(Uuid, { maxItems: 1_000, distinct: true, description: 'The products, collections or variants.' }),
      [],
    ),
    minimum_subtotal: Default(
      {
        ...NullableMoneyInput,
        description:
          'The least that the lines that the code applies to must cost, after line discounts. At most three decimals.',
      },
      null,
    ),
    minimum_quantity: Default(Count('Units of the lines that the code applies to.'), null),
    starts_at: Default(Time, null),
    ends_at: Default(Time, null),
    usage_limit: Default(Count('The number of orders that can use the code.'), null),
    once_per_customer: Default(Type.Boolean({ description: 'Whether a customer can use the code only once.' }), false),
    combines: Default(Type.Boolean({ description: 'Whether it can be used with other codes that combine.' }), false),
    is_active: Default(Type.Boolean(), true),
  }),
);
export type NewDiscount = Static<typeof NewDiscount>;

export const DiscountChanges = named('DiscountChanges', extend(updateSchema(NewDiscount), { id: Uuid }));
export type DiscountChanges = Static<typeof DiscountChanges>;

export const Discount = named(
  'Discount',
  Type.Object({
    id: Uuid,
    ...outputFields(NewDiscount),
    value: Money,
    minimum_subtotal: Nullable(Money),
    starts_at: Nullable(Timestamp),
    ends_at: Nullable(Timestamp),
    uses: Type.Integer({ description: 'The number of orders that have used the code.' }),
    status: DiscountStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Discount = Static<typeof Discount>;
