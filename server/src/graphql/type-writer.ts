import { Money, MoneyInput, Timestamp } from '@chowk/kit/kernel';
import { describeField, describeType } from '../schemas/describe-name.ts';
import { isIntegerId } from './integer-ids.ts';

/** A JSON schema of an action. */
export interface Schema {
  readonly title?: string;
  /** The GraphQL type whose fields, or some of them, the schema has. Default: the title. */
  readonly graphqlType?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly money?: boolean | number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The values that the texts of a list can have. */
  readonly eachEnum?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

/** A value of an object type that may lack some of its fields. */
export interface ObjectReference {
  readonly type: string;
  readonly fields: ReadonlySet<string>;
  readonly isList: boolean;
}

/** A type in SDL, without the final `!`. */
interface TypeReference {
  readonly sdl: string;
  readonly isNullable: boolean;
  readonly object?: ObjectReference | undefined;
}

interface Field {
  sdl: string;
  isNullable: boolean;
  readonly description: string | undefined;
}

const maxInt = 2_147_483_647;
const graphqlName = /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/;

/** Writes the GraphQL types of a module's schemas. */
export class TypeWriter {
  /** The types that the module defines; it can refer to those of other modules. */
  readonly #owned: ReadonlySet<string>;
  readonly #objects = new Map<string, Map<string, Field>>();
  /** The descriptions of types, by name. */
  readonly #descriptions = new Map<string, string>();
  readonly #inputs = new Map<string, string>();
  /** Names by the list of values. */
  readonly #enums = new Map<string, string>([['["asc","desc"]', 'SortOrder']]);
  /** References to object types, by `Type.field`. */
  readonly references = new Map<string, ObjectReference>();
  /** The fields of amounts by the fields that add the currency, as `Type.field`. */
  readonly amounts = new Map<string, string>();

  constructor(outputs: readonly Schema[]) {
    this.#owned = new Set(outputs.flatMap((schema) => [...titlesIn(schema)]));
  }

  /** The type of an output. An object or an enum without a title gets the fallback as its name. */
  output(schema: Schema, fallback: string): TypeReference {
    const { inner, isNullable } = withoutNull(schema);
    if (inner.items) {
      const item = this.output(inner.items, fallback);
      const object = item.object && { ...item.object, isList: true };
      return { sdl: `[${item.sdl}${item.isNullable ? '' : '!'}]`, isNullable, object };
    }
    if (!inner.properties) {
      const sdl = this.#leaf(inner, fallback);
      // Any JSON value can be null, unless it is an object.
      return { sdl, isNullable: isNullable || (sdl === 'JSON' && inner.type !== 'object') };
    }
    const type = inner.graphqlType ?? inner.title ?? fallback;
    const isForeign = inner.graphqlType !== undefined && !this.#owned.has(inner.graphqlType);
    if (!isForeign) this.#define(type, inner);
    const fields = new Set([...Object.keys(inner.properties), ...amountFields(inner).values()]);
    return { sdl: type, isNullable, object: { type, fields, isList: false } };
  }

  /** The type of an input. Fields of an object that are given otherwise can be omitted. */
  input(schema: Schema, fallback: string, omitted: readonly string[] = []): TypeReference {
    const { inner, isNullable } = withoutNull(schema);
    if (inner.items) {
      const item = this.input(inner.items, fallback);
      return { sdl: `[${item.sdl}${item.isNullable ? '' : '!'}]`, isNullable };
    }
    if (!inner.properties) return { sdl: this.#leaf(inner, fallback), isNullable };
    const type = inner.graphqlType ?? inner.title;
    const name = type === undefined ? fallback : `${type}Input`;
    if (!this.#inputs.has(name)) {
      this.#inputs.set(name, '');
      const lines = this.inputFields(inner, name.replace(/Input$/, ''), omitted);
      this.#inputs.set(name, block(`${describe(inner.description ?? describeType(name), '')}input ${name}`, lines));
    }
    return { sdl: name, isNullable };
  }

  /** The input for the filters of a list; `undefined` if it has none. All of them are optional. */
  filter(schema: Schema, name: string, omitted: readonly string[]): string | undefined {
    const properties = Object.entries(schema.properties ?? {}).map(([key, one]) => [key, filterSchema(one)]);
    const lines = this.inputFields({ properties: Object.fromEntries(properties) }, name, omitted);
    if (lines.length === 0) return undefined;
    const text = 'Conditions that all hold. A field that is absent or null is no condition.';
    this.#inputs.set(name, block(`${describe(text, '')}input ${name}`, lines));
    return name;
  }

  /** Describes a type whose schema has no description. */
  describeType(type: string, text: string): void {
    if (!this.#descriptions.has(type)) this.#descriptions.set(type, text);
  }

  /** The fields of an input object, or the arguments of a field. */
  inputFields(
    { properties = {}, required = [] }: Schema,
    owner: string,
    omitted: readonly string[] = [],
    /** Why those that are optional are deprecated. */
    deprecation?: string,
  ): string[] {
    const names = Object.keys(properties).filter((name) => graphqlName.test(name) && !omitted.includes(name));
    return names.map((name) => {
      const property = properties[name] as Schema;
      const { sdl, isNullable } = this.argument(name, property, owner);
      const isRequired = required.includes(name) && property.default === undefined && !isNullable;
      // The complexity of an operation depends on the number of records.
      const isSize = sdl === 'Int' && property.default !== undefined;
      const value = `${sdl}${isRequired ? '!' : ''}${isSize ? ` = ${property.default}` : ''}`;
      const deprecated = deprecation === undefined || isRequired ? '' : ` ${deprecate(deprecation)}`;
      return `${describe(fieldDescription(name, property))}${name}: ${value}${deprecated}`;
    });
  }

  /** The type of an argument. */
  argument(name: string, schema: Schema, owner: string): TypeReference {
    return this.input(withIdFormat(name, schema), owner + pascalCase(name));
  }

  /** Records the value of a field; for several values, the fields that all of them have. */
  refer(field: string, object: ObjectReference): void {
    const known = this.references.get(field);
    this.references.set(field, known ? { ...object, fields: object.fields.intersection(known.fields) } : object);
  }

  /** The fields of an object type that come from schemas. */
  objectFields(type: string): ReadonlySet<string> | undefined {
    const fields = this.#objects.get(type);
    return fields && new Set(fields.keys());
  }

  get types(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** All types as SDL. */
  get sdl(): string {
    const objects = [...this.#objects].map(([name, fields]) => {
      const lines = [...fields].map(([field, { sdl, isNullable, description }]) => {
        return `${describe(description)}${field}: ${sdl}${isNullable ? '' : '!'}`;
      });
      return block(`${describe(this.#descriptions.get(name) ?? describeType(name), '')}type ${name}`, lines);
    });
    const enums = [...this.#enums]
      .filter(([, name]) => name !== 'SortOrder')
      .map(([values, name]) => block(`${describe(describeType(name), '')}enum ${name}`, JSON.parse(values)));
    return [...objects, ...enums, ...this.#inputs.values()].join('\n\n');
  }

  /** Schemas of one type are merged; a field is nullable if it is so in one of them. */
  #define(type: string, schema: Schema): void {
    const { properties = {}, required = [], title = type, description } = schema;
    const fields = this.#objects.get(type) ?? new Map<string, Field>();
    this.#objects.set(type, fields);
    if (description !== undefined && title === type) this.#descriptions.set(type, description);
    for (const [name, property] of Object.entries(properties)) {
      if (!graphqlName.test(name)) continue;
      const { sdl, isNullable, object } = this.output(withIdFormat(name, property), type + pascalCase(name));
      const known = fields.get(name);
      const isOptional = isNullable || !required.includes(name);
      if (known) known.isNullable ||= isOptional;
      else fields.set(name, { sdl, isNullable: isOptional, description: fieldDescription(name, property) });
      if (object) this.refer(`${type}.${name}`, object);
    }
    for (const [amount, name] of amountFields(schema)) {
      const isNullable = [amount, 'currency'].some((one) => fields.get(one)?.isNullable);
      this.amounts.set(`${type}.${name}`, amount);
      fields.set(name, { sdl: 'MoneyAmount', isNullable, description: `\`${amount}\` with its currency.` });
    }
  }

  #leaf(schema: Schema, fallback: string): string {
    const { type, enum: values, anyOf, format } = schema;
    if (values?.every((value) => typeof value === 'string' && graphqlName.test(value) && !reserved.has(value))) {
      return this.#enum(values as string[], schema.graphqlType ?? schema.title ?? fallback);
    }
    if (isAmount(schema)) return 'Money';
    if (anyOf?.every((one) => one.type === 'string')) return 'String';
    switch ([type].flat().find((one) => one !== 'null')) {
      case 'boolean':
        return 'Boolean';
      case 'number':
        return 'Float';
      case 'integer':
        if (format === 'id') return 'ID';
        return (schema.maximum ?? 0) > maxInt ? 'BigInt' : 'Int';
      case 'string':
        return formats[format ?? ''] ?? 'String';
      default:
        return values ? 'String' : 'JSON';
    }
  }

  #enum(values: readonly string[], fallback: string): string {
    const key = JSON.stringify(values);
    const known = this.#enums.get(key) ?? fallback;
    this.#enums.set(key, known);
    return known;
  }
}

const reserved = new Set(['true', 'false', 'null']);
const formats: Readonly<Record<string, string>> = { id: 'ID', uuid: 'ID', 'date-time': 'DateTime', date: 'Date' };

/** Marks ids that are not UUIDs. Integers among them are texts in GraphQL. */
function withIdFormat(name: string, schema: Schema): Schema {
  if (schema.items) return { ...schema, items: withIdFormat(name, schema.items) };
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((one) => withIdFormat(name, one)) };
  return isIntegerId(name, schema) || isTextId(name, schema) ? { ...schema, format: 'id' } : schema;
}

/** Ids of other platforms are texts of any form. */
function isTextId(name: string, { type, format, enum: values }: Schema): boolean {
  const isText = type === 'string' && format === undefined && !values;
  return isText && /(^|_)ids?$/.test(name) && !name.startsWith('external_');
}

/** A filter with the enum of its values, or as a time where it also accepts a day. */
function filterSchema(schema: Schema): Schema {
  const { anyOf, eachEnum, description = '' } = schema;
  if (eachEnum) {
    return { ...schema, items: { type: 'string', enum: eachEnum }, description: 'Any of these values.' };
  }
  const isTime = anyOf?.every(({ format }) => format === 'date' || format === 'date-time');
  return isTime ? { type: 'string', format: 'date-time', description } : schema;
}

/** The names of the fields with an amount and its currency, by the field of the amount. */
function amountFields({ properties = {} }: Schema): ReadonlyMap<string, string> {
  const isText = (schema: Schema | undefined) => schema && [withoutNull(schema).inner.type].flat().includes('string');
  if (!isText(properties.currency)) return new Map();
  const amounts = Object.keys(properties).filter((name) => isAmount(withoutNull(properties[name] as Schema).inner));
  return new Map(amounts.map((name) => [name, `${name}_money`]));
}

function isAmount({ money, pattern }: Schema): boolean {
  return Boolean(money) || pattern === (Money as Schema).pattern;
}

/** As in the description of REST. That of every time or amount says nothing about the field. */
function fieldDescription(name: string, schema: Schema): string {
  const { anyOf = [], description } = schema;
  const [branch, ...others] = anyOf.filter(({ type }) => type !== 'null');
  const own = description ?? (others.length === 0 && branch?.title === undefined ? branch?.description : undefined);
  if (own === undefined || commonDescriptions.has(own)) return describeField(name);
  return own.startsWith('Default:') ? `${describeField(name)} ${own}` : own;
}

const commonDescriptions: ReadonlySet<string | undefined> = new Set(
  [Money, MoneyInput, Timestamp].map((schema) => (schema as Schema).description),
);

/** The titles of object schemas that define a type of their own. */
function* titlesIn(schema: Schema): Generator<string> {
  const { title, graphqlType = title, properties, items, anyOf = [] } = schema;
  if (properties && title !== undefined && graphqlType === title) yield title;
  for (const inner of [...Object.values(properties ?? {}), ...(items ? [items] : []), ...anyOf]) yield* titlesIn(inner);
}

function withoutNull(schema: Schema): { inner: Schema; isNullable: boolean } {
  const { anyOf, type } = schema;
  if (!anyOf) return { inner: schema, isNullable: [type].flat().includes('null') };
  const others = anyOf.filter((one) => one.type !== 'null');
  const isNullable = others.length < anyOf.length;
  if (others.length !== 1) return { inner: { ...schema, anyOf: others }, isNullable };
  const { inner, isNullable: isInnerNullable } = withoutNull(others[0] as Schema);
  return { inner, isNullable: isNullable || isInnerNullable };
}

export function pascalCase(name: string): string {
  return name.replace(/(?:^|[_.-])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A documentation string before a definition. */
export function describe(text: string | undefined, indent = '  '): string {
  return text === undefined ? '' : `${JSON.stringify(text.replaceAll(/\s+/g, ' '))}\n${indent}`;
}

export function deprecate(reason: string): string {
  return `@deprecated(reason: ${JSON.stringify(reason)})`;
}

export function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
}
