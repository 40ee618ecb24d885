import { Default, Line, Nullable, named, type Static, Timestamp, Type, Uuid, updateSchema } from '@chowk/kit';
import { Product } from './schemas.ts';
import { Slug } from './variant-schemas.ts';

export const Condition = named(
  'CollectionCondition',
  Type.Object({
    field: Type.Enum(['tag', 'category', 'title', 'price', 'stock'], {
      description: '`price` is the lowest price of a product, `stock` its available units.',
    }),
    operator: Type.Enum(['is', 'is_not', 'contains', 'above', 'below'], {
      description: '`contains` is for titles, `above` and `below` for prices and stock.',
    }),
    value: Line(255, { description: 'What the field is compared with.', examples: ['organic'] }),
  }),
);

export const Rule = named(
  'CollectionRule',
  Type.Object({
    match: Type.Optional(Type.Enum(['all', 'any'], { description: 'Default: `all`.' })),
    conditions: Type.Array(Condition, { minItems: 1, maxItems: 20, description: 'What a product must meet.' }),
  }),
);

const fields = {
  title: Line(255, { examples: ['Summer'] }),
  slug: Type.Optional(Slug),
  description: Default(Type.String({ maxLength: 20_000, pattern: '^[^\\0\\p{Cs}]*$' }), ''),
  rule: Default(
    {
      ...Nullable(Rule),
      description: 'Products that match are added automatically. Null: products are added manually.',
    },
    null,
  ),
  products: Type.Optional(
    Type.Array(Uuid, {
      maxItems: 1_000,
      distinct: true,
      description: 'The products of a collection without a rule, in order.',
    }),
  ),
};

export const NewCollection = named('NewCollection', Type.Object(fields));
export type NewCollection = Static<typeof NewCollection>;

const changes = updateSchema(NewCollection).properties;
export const CollectionChanges = named('CollectionChanges', Type.Object({ id: Uuid, ...changes }));
export type CollectionChanges = Static<typeof CollectionChanges>;

export const Collection = named(
  'Collection',
  Type.Object({
    id: Uuid,
    title: Type.String(),
    slug: Type.String(),
    description: Type.String(),
    rule: Nullable(Rule),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Collection = Static<typeof Collection>;

export const RulePreview = named(
  'CollectionPreview',
  Type.Object({
    total: Type.Integer({ description: 'How many products match.' }),
    products: Type.Array(Product, { description: 'The first five by title.' }),
  }),
);
export type RulePreview = Static<typeof RulePreview>;
