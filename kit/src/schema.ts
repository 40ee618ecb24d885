import {
  type Static,
  type TArray,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from 'typebox';

export type { Static, TObject, TOptional, TProperties, TSchema };
export { Type };

export const Uuid = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 in UTC' });
/** A time in an input; the action gets it in UTC, to the millisecond. */
export const TimestampInput = Type.String({ format: 'date-time', timestamp: true, examples: ['2026-01-31T09:30:00Z'] });
export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
/** The content of a file, from one module to another. */
export const Bytes = Type.Unsafe<Uint8Array>({ description: 'The content of a file.' });
export const Message = Type.Object({ message: Type.String() });
/** The input of an action on one record. */
export const ById = Type.Object({ id: Uuid });
export const UserId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The time as responses write it; `undefined` if it is invalid or not in the years 1 to 9999. */
export function toTimestamp(text: string): string | undefined {
  const at = new Date(text);
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? at.toISOString() : undefined;
}

/**
 * Names a schema: it becomes a component of the API description and a GraphQL type. A schema with some or more fields of
 * another one can share its GraphQL type: `named('OrderDetails', …, { graphqlType: 'Order' })`.
 */
export function named<Schema extends TSchema>(
  title: string,
  schema: Schema,
  options: { readonly graphqlType?: string } = {},
): Schema {
  return copy(schema, { title, ...options });
}

/** An object schema with a name. */
export function NamedObject<Properties extends TProperties>(
  title: string,
  properties: Properties,
  rules: object = {},
): TObject<Properties> {
  return Type.Object(properties, { title, ...rules });
}

/** Adds a default, so that callers may omit the field and the action always gets it. */
export function Default<Schema extends TSchema>(schema: Schema, value: unknown): TDefault<Schema> {
  return copy(schema, { default: value }) as TDefault<Schema>;
}
type TDefault<Schema> = Schema & { readonly default: unknown };

/** An object schema with more fields. */
export function extend<Base extends TProperties, More extends TProperties>(
  base: TObject<Base>,
  more: More,
): TObject<Omit<Base, keyof More> & More> {
  const properties = { ...base.properties, ...more };
  return Type.Object(properties) as unknown as TObject<Omit<Base, keyof More> & More>;
}

/** The input of an update: the same fields, optional and without defaults. */
export function updateSchema<Properties extends TProperties>(
  schema: TObject<Properties>,
): TObject<OptionalFields<Properties>> {
  const entries = Object.entries(schema.properties).map(([name, field]) => {
    return [name, Type.Optional(copy(field, { default: undefined }))] as const;
  });
  return Type.Object(Object.fromEntries(entries)) as unknown as TObject<OptionalFields<Properties>>;
}
type OptionalFields<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends TSchema ? TOptional<Properties[Name]> : never;
};

/** The fields of an input for an output schema: without defaults and validation rules. */
export function outputFields<Properties extends TProperties>(schema: TObject<Properties>): OutputFields<Properties> {
  const entries = Object.entries(schema.properties).map(([name, field]) => [name, withoutRules(field)] as const);
  return Object.fromEntries(entries) as OutputFields<Properties>;
}
type OutputFields<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends TSchema ? TUnsafe<Static<Properties[Name]>> : never;
};

interface Rules {
  readonly type?: unknown;
  readonly money?: boolean | number;
  readonly items?: TSchema;
  readonly properties?: TProperties;
}

const outputKeys = [
  'type',
  'enum',
  'format',
  'description',
  'examples',
  'title',
  'graphqlType',
  'anyOf',
  'required',
  'patternProperties',
];

function withoutRules(schema: TSchema): TSchema {
  const { money, items, properties, type } = schema as Rules;
  if (money) return [type].flat().includes('null') ? Nullable(Money) : Money;
  const kept = Object.entries(schema).filter(([key]) => outputKeys.includes(key));
  return {
    ...Object.fromEntries(kept),
    ...(items ? { items: withoutRules(items) } : {}),
    ...(properties ? { properties: outputFields(Type.Object(properties)) } : {}),
  };
}

/** An amount in an output. */
export const Money = Type.String({
  pattern: '^\\d+\\.\\d{2,3}$',
  description: 'An amount with two decimals, or three in currencies such as KWD.',
  examples: ['199.65'],
});

/** A value as a caller sends it: fields with a default are optional. */
export type Sent<Schema extends TSchema> =
  Schema extends TObject<infer Properties>
    ? SentObject<Properties>
    : Schema extends TArray<infer Item extends TSchema>
      ? Sent<Item>[]
      : Static<Schema>;
type SentObject<Properties extends TProperties> = {
  -readonly [Name in keyof Properties as IsOptional<Properties[Name]> extends true ? never : Name]: Sent<
    Properties[Name]
  >;
} & {
  -readonly [Name in keyof Properties as IsOptional<Properties[Name]> extends true ? Name : never]?:
    | Sent<Properties[Name]>
    | undefined;
};
type IsOptional<Schema> = Schema extends { '~optional': true } | { readonly default: unknown } ? true : false;

/** Also copies the properties of TypeBox that are not enumerable. */
function copy<Schema extends TSchema>(schema: Schema, changes: Record<string, unknown>): Schema {
  const result = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result as Schema;
}
