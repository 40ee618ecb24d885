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
export const Message = Type.Object({ message: Type.String() });
/** The input of an action on one record. */
export const ById = Type.Object({ id: Uuid });
export const UserId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The time as every answer writes it, or `undefined` if it is none from the year 1 to 9999. */
export function toTimestamp(text: string): string | undefined {
  const at = new Date(text);
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9_999 ? at.toISOString() : undefined;
}

/** Names a schema: it becomes a component of the API description and a GraphQL type. */
export function named<Schema extends TSchema>(title: string, schema: Schema): Schema {
  return copy(schema, { title });
}

/** An object schema with a name. */
export function NamedObject<Properties extends TProperties>(
  title: string,
  properties: Properties,
  rules: object = {},
): TObject<Properties> {
  return Type.Object(properties, { title, ...rules });
}

/** What is used where a field is absent. Callers need not send it; the action always gets it. */
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

/** The same fields, all optional and without defaults: what an update takes. */
export function changesOf<Properties extends TProperties>(schema: TObject<Properties>): TObject<ChangesOf<Properties>> {
  const entries = Object.entries(schema.properties).map(([name, field]) => {
    return [name, Type.Optional(copy(field, { default: undefined }))] as const;
  });
  return Type.Object(Object.fromEntries(entries)) as unknown as TObject<ChangesOf<Properties>>;
}
type ChangesOf<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends TSchema ? TOptional<Properties[Name]> : never;
};

/** The fields of an input as an output shows them: without defaults and without the rules of what may be sent. */
export function outputOf<Properties extends TProperties>(schema: TObject<Properties>): OutputsOf<Properties> {
  const entries = Object.entries(schema.properties).map(([name, field]) => [name, withoutRules(field)] as const);
  return Object.fromEntries(entries) as OutputsOf<Properties>;
}
type OutputsOf<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends TSchema ? TUnsafe<Static<Properties[Name]>> : never;
};

interface Rules {
  readonly type?: unknown;
  readonly money?: boolean;
  readonly items?: TSchema;
  readonly properties?: TProperties;
}

const shown = ['type', 'enum', 'format', 'description', 'examples', 'title', 'anyOf', 'required', 'patternProperties'];

function withoutRules(schema: TSchema): TSchema {
  const { money, items, properties, type } = schema as Rules;
  if (money) return [type].flat().includes('null') ? Nullable(Money) : Money;
  const kept = Object.entries(schema).filter(([key]) => shown.includes(key));
  return {
    ...Object.fromEntries(kept),
    ...(items ? { items: withoutRules(items) } : {}),
    ...(properties ? { properties: outputOf(Type.Object(properties)) } : {}),
  };
}

/** An amount in an output. */
export const Money = Type.String({
  pattern: '^\\d+\\.\\d{2}$',
  description: 'An amount with two decimals.',
  examples: ['199.65'],
});

/** A schema's value as a caller may send it: fields with a default may be left out. */
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

/** Keeps what TypeBox has hidden in the schema. */
function copy<Schema extends TSchema>(schema: Schema, changes: Record<string, unknown>): Schema {
  const made = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete made[name];
    else made[name] = value;
  }
  return made as Schema;
}
