import { Money, MoneyInput, Timestamp } from '@chowk/kit/kernel';

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
  readonly money?: boolean;
  readonly maximum?: number;
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
  readonly #inputs = new Map<string, string>();
  /** Names by the list of values. */
  readonly #enums = new Map<string, string>([['["asc","desc"]', 'SortOrder']]);
  /** References to object types, by `Type.field`. */
  readonly references = new Map<string, ObjectReference>();

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
      // Any JSON value can be null.
      return { sdl, isNullable: isNullable || sdl === 'JSON' };
    }
    const type = inner.graphqlType ?? inner.title ?? fallback;
    const isForeign = inner.graphqlType !== undefined && !this.#owned.has(inner.graphqlType);
    if (!isForeign) this.#define(type, inner);
    const fields = new Set(Object.keys(inner.properties));
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
    const name = inner.title === undefined ? fallback : `${inner.title}Input`;
    if (!this.#inputs.has(name)) {
      this.#inputs.set(name, '');
      const lines = this.inputFields(inner, name.replace(/Input$/, ''), omitted);
      this.#inputs.set(name, block(`input ${name}`, lines));
    }
    return { sdl: name, isNullable };
  }

  /** The fields of an input object, or the arguments of a field. */
  inputFields({ properties = {}, required = [] }: Schema, owner: string, omitted: readonly string[] = []): string[] {
    const names = Object.keys(properties).filter((name) => graphqlName.test(name) && !omitted.includes(name));
    return names.map((name) => {
      const property = properties[name] as Schema;
      const { sdl, isNullable } = this.input(property, owner + pascalCase(name));
      const isRequired = required.includes(name) && property.default === undefined && !isNullable;
      // The complexity of an operation depends on the number of records.
      const isSize = sdl === 'Int' && property.default !== undefined;
      return `${describe(ownDescription(property))}${name}: ${sdl}${isRequired ? '!' : ''}${isSize ? ` = ${property.default}` : ''}`;
    });
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
      return block(`type ${name}`, lines);
    });
    const enums = [...this.#enums]
      .filter(([, name]) => name !== 'SortOrder')
      .map(([values, name]) => block(`enum ${name}`, JSON.parse(values)));
    return [...objects, ...enums, ...this.#inputs.values()].join('\n\n');
  }

  /** Schemas of one type are merged; a field is nullable if it is so in one of them. */
  #define(type: string, { properties = {}, required = [] }: Schema): void {
    const fields = this.#objects.get(type) ?? new Map<string, Field>();
    this.#objects.set(type, fields);
    for (const [name, property] of Object.entries(properties)) {
      if (!graphqlName.test(name)) continue;
      const { sdl, isNullable, object } = this.output(property, type + pascalCase(name));
      const known = fields.get(name);
      const isOptional = isNullable || !required.includes(name);
      if (known) known.isNullable ||= isOptional;
      else fields.set(name, { sdl, isNullable: isOptional, description: ownDescription(property) });
      if (object) this.refer(`${type}.${name}`, object);
    }
  }

  #leaf(schema: Schema, fallback: string): string {
    const { type, enum: values, anyOf } = schema;
    if (values?.every((value) => typeof value === 'string' && graphqlName.test(value) && !reserved.has(value))) {
      return this.#enum(values as string[], schema.graphqlType ?? schema.title ?? fallback);
    }
    if (schema.money || schema.pattern === (Money as Schema).pattern) return 'Money';
    if (anyOf?.every((one) => one.type === 'string')) return 'String';
    switch ([type].flat().find((one) => one !== 'null')) {
      case 'boolean':
        return 'Boolean';
      case 'number':
        return 'Float';
      case 'integer':
        return (schema.maximum ?? 0) > maxInt ? 'BigInt' : 'Int';
      case 'string':
        return formats[schema.format ?? ''] ?? 'String';
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
const formats: Readonly<Record<string, string>> = { uuid: 'ID', 'date-time': 'DateTime', date: 'Date' };

/** The description of a time or an amount is that of its scalar, unless the field has its own. */
function ownDescription({ description }: Schema): string | undefined {
  return commonDescriptions.has(description) ? undefined : description;
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
export function describe(text: string | undefined): string {
  return text === undefined ? '' : `${JSON.stringify(text.replaceAll(/\s+/g, ' '))}\n  `;
}

export function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
}
