import {
  Default,
  extend,
  Line,
  NamedObject,
  Nullable,
  NullableLine,
  NullableText,
  named,
  outputFields,
  type Static,
  Timestamp,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';

export const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'Two capital letters of ISO 3166, such as IN.',
  examples: ['IN'],
});

export const State = { description: 'The name or the code of a state.', examples: ['MH'] };

export const TaxClass = Line(50, {
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  description: 'Lower-case letters, digits, _ and -. Products with another class than `standard` have their own rates.',
  examples: ['standard'],
});

const Percent = Type.Unsafe<string>({
  type: ['string', 'number'],
  pattern: '^(100(\\.0{1,4})?|\\d{1,2}(\\.\\d{1,4})?)$',
  minimum: 0,
  maximum: 100,
  description: 'A percentage from 0 to 100 with at most four decimals.',
  examples: ['18'],
});

export const NewTaxRate = named(
  'NewTaxRate',
  Type.Object({
    name: Line(100, { examples: ['CGST'] }),
    country: Country,
    state: Default(
      NullableLine(100, { ...State, description: 'The name or the code of a state. Null: the whole country.' }),
      null,
    ),
    tax_class: Default(TaxClass, 'standard'),
    rate: Percent,
    priority: Default(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Rates for a state replace those for its country with the same priority and tax class.',
      }),
      1,
    ),
    includes_shipping: Default(
      Type.Boolean({ description: 'Whether shipping is taxed, with the class `standard` and `pricing.tax_shipping`.' }),
      true,
    ),
    is_active: Default(Type.Boolean(), true),
  }),
);
export type NewTaxRate = Static<typeof NewTaxRate>;

export const TaxRateChanges = named('TaxRateChanges', extend(updateSchema(NewTaxRate), { id: Uuid }));
export type TaxRateChanges = Static<typeof TaxRateChanges>;

export const TaxRate = named(
  'TaxRate',
  Type.Object({
    id: Uuid,
    ...outputFields(NewTaxRate),
    rate: Type.String({ description: 'Percent, with two to four decimals.', examples: ['18.00'] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type TaxRate = Static<typeof TaxRate>;

export const PresetKey = named(
  'TaxPreset',
  Type.Object({
    country: Type.Enum(['IN', 'DE', 'GB']),
    state: Default(
      NullableLine(100, {
        ...State,
        description: 'The state of the shop. Needed for IN. Default: the setting `pricing.state`.',
      }),
      null,
    ),
  }),
);
export type PresetKey = Static<typeof PresetKey>;

export const TaxPresetDetails = named(
  'TaxPresetDetails',
  Type.Object({
    country: PresetKey.properties.country,
    since: Type.String({ format: 'date', description: 'The day since which these rates apply.' }),
    source: Type.String(),
    needs_state: Type.Boolean({ description: 'Whether the state of the shop must be known.' }),
    rates: Type.Array(
      NamedObject('TaxPresetRate', {
        name: NewTaxRate.properties.name,
        tax_class: TaxClass,
        rate: Type.String({ description: 'Percent.', examples: ['9'] }),
        in_shop_state: Type.Boolean({ description: 'Whether the rate applies only within the state of the shop.' }),
        is_active: Type.Boolean(),
      }),
    ),
  }),
);
export type TaxPresetDetails = Static<typeof TaxPresetDetails>;

export const NewTaxExemption = named(
  'NewTaxExemption',
  Type.Object({ customer_id: Uuid, reason: Default(NullableText(1_000, { examples: ['Certificate 4711'] }), null) }),
);
export type NewTaxExemption = Static<typeof NewTaxExemption>;

export const TaxExemption = named(
  'TaxExemption',
  Type.Object({
    customer_id: Uuid,
    reason: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type TaxExemption = Static<typeof TaxExemption>;
