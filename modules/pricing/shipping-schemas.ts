import {
  Default,
  extend,
  Line,
  Money,
  MoneyInput,
  NamedObject,
  Nullable,
  NullableMoneyInput,
  named,
  outputFields,
  type Static,
  Timestamp,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';
import { Country, State } from './tax-schemas.ts';

const ShippingRegion = NamedObject('ShippingRegion', {
  country: Country,
  states: Default(
    Type.Array(Line(100, State), {
      maxItems: 100,
      distinct: true,
      description: 'Names or codes of states. Empty: the whole country.',
      examples: [['MH', 'KA']],
    }),
    [],
  ),
});

export const NewShippingZone = named(
  'NewShippingZone',
  Type.Object({
    name: Line(100, { examples: ['South India'] }),
    regions: Default(Type.Array(ShippingRegion, { maxItems: 250 }), []),
    rest_of_world: Default(
      Type.Boolean({ description: 'Whether it also covers all addresses that no other zone covers.' }),
      false,
    ),
  }),
);
export type NewShippingZone = Static<typeof NewShippingZone>;

export const ShippingZoneChanges = named('ShippingZoneChanges', extend(updateSchema(NewShippingZone), { id: Uuid }));
export type ShippingZoneChanges = Static<typeof ShippingZoneChanges>;

export const ShippingZone = named(
  'ShippingZone',
  Type.Object({ id: Uuid, ...outputFields(NewShippingZone), created_at: Timestamp, updated_at: Timestamp }),
);
export type ShippingZone = Static<typeof ShippingZone>;

const Weight = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 1_000_000_000,
  description: 'The weight of the whole order in grams. Null: no limit.',
  examples: [500],
});
const Total = Type.Unsafe<string | null>({
  ...NullableMoneyInput,
  description:
    'The price of the products, after discounts and before shipping, with at most three decimals. Null: no limit.',
});

export const NewShippingRate = named(
  'NewShippingRate',
  Type.Object({
    zone_id: Uuid,
    name: Line(100, { examples: ['Standard'] }),
    price: MoneyInput,
    minimum_weight: Default(Weight, null),
    maximum_weight: Default(Weight, null),
    minimum_total: Default(Total, null),
    maximum_total: Default(Total, null),
    free_above: Default(
      {
        ...Total,
        description: 'The total of the products from which shipping is free. An amount with at most three decimals.',
      },
      null,
    ),
    is_active: Default(Type.Boolean(), true),
  }),
);
export type NewShippingRate = Static<typeof NewShippingRate>;

export const ShippingRateChanges = named('ShippingRateChanges', extend(updateSchema(NewShippingRate), { id: Uuid }));
export type ShippingRateChanges = Static<typeof ShippingRateChanges>;

export const ShippingRate = named(
  'ShippingRate',
  Type.Object({
    id: Uuid,
    ...outputFields(NewShippingRate),
    price: Money,
    minimum_total: Nullable(Money),
    maximum_total: Nullable(Money),
    free_above: Nullable(Money),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type ShippingRate = Static<typeof ShippingRate>;
