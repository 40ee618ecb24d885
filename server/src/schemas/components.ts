import { describeType } from './describe-name.ts';
import { keywordNames } from './keywords.ts';
import { ownFormats } from './validation.ts';

export type Json = Record<string, unknown>;

interface Schema extends Json {
  readonly title?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly describedBy?: Schema;
}

/** Fields with a default are optional in an input and always present in an output. */
export type Direction = 'input' | 'output';

/** Collects named schemas and responses, so that each is written once and referenced. */
export class Components {
  readonly #schemas = new Map<string, { readonly json: Json; readonly text: string }>();
  /** Names by JSON text. */
  readonly #responses = new Map<string, string>();
  readonly #fieldDescriptions: Readonly<Record<string, string>> | undefined;

  /** `fieldDescriptions` are for fields that have none, by name. */
  constructor(fieldDescriptions?: Readonly<Record<string, string>>) {
    this.#fieldDescriptions = fieldDescriptions;
  }

  /** Returns a reference to the response; a different response of the same name gets a number. */
  response(name: string, json: Json): Json {
    const text = JSON.stringify(json);
    const others = [...this.#responses.values()].filter((known) => known.replace(/\d+$/, '') === name).length;
    const known = this.#responses.get(text) ?? (others === 0 ? name : `${name}${others + 1}`);
    this.#responses.set(text, known);
    return { $ref: `#/components/responses/${known}` };
  }

  get responses(): Json {
    return Object.fromEntries([...this.#responses].map(([text, name]) => [name, JSON.parse(text)]));
  }

  /** The schema as OpenAPI describes it: a reference if it is named. */
  describe(schema: object, direction: Direction): Json {
    const { title, describedBy, ...rest } = schema as Schema;
    // Validated later, by an action of its own.
    if (describedBy) return this.describe(describedBy, direction);
    const json = this.#describe(rest, direction);
    if (title !== undefined && this.#fieldDescriptions) json.description ??= describeType(title);
    return title === undefined ? json : { $ref: `#/components/schemas/${this.#name(title, json, direction)}` };
  }

  /** A field of an object: with a description, if there is one for its name. */
  describeField(name: string, schema: object, direction: Direction): Json {
    const { title } = schema as Schema;
    const description = title === undefined ? this.#findDescription(name, schema as Schema) : undefined;
    return this.describe(description === undefined ? schema : { ...schema, description }, direction);
  }

  /** For something that may be null, the description of what it is otherwise. */
  #findDescription(name: string, { anyOf = [], description }: Schema): string | undefined {
    if (!this.#fieldDescriptions) return undefined;
    const [branch, ...others] = anyOf.filter(({ type }) => type !== 'null');
    const own = description ?? (others.length === 0 ? branch?.description : undefined);
    const known = this.#fieldDescriptions[name];
    return own?.startsWith('Default:') && known !== undefined ? `${known} ${own}` : (own ?? known);
  }

  get schemas(): Json {
    const sorted = [...this.#schemas].sort(([a], [b]) => a.localeCompare(b));
    return Object.fromEntries(sorted.map(([name, { json }]) => [name, json]));
  }

  /** Different schemas must have different names; only the input and the output of one schema may differ. */
  #name(title: string, json: Json, direction: Direction): string {
    const text = JSON.stringify(json);
    for (const name of direction === 'input' ? [title, `${title}Input`] : [title]) {
      const known = this.#schemas.get(name);
      if (!known) this.#schemas.set(name, { json, text });
      if (!known || known.text === text) return name;
    }
    throw new Error(`two different schemas are named ${title}; rename one of them`);
  }

  #describe(schema: Schema, direction: Direction): Json {
    // An uploaded file.
    if (schema.upload) return { type: 'string', format: 'binary', description: schema.description };
    const kept = Object.entries(schema).filter(([key]) => !keywordNames.has(key));
    const json = Object.fromEntries(kept.map(([key, value]) => [key, this.#part(key, value, direction)]));
    const { enum: values, type } = json as { enum?: unknown[]; type?: unknown };
    if (values && !type) json.type = typeof values[0];
    const { properties = {}, required } = schema;
    // Code generators treat a field with a default as always present, which is true for outputs only.
    if (direction === 'input' && json.default !== undefined) {
      json.description = [json.description, `Default: ${JSON.stringify(json.default)}.`].filter(Boolean).join(' ');
      delete json.default;
    }
    if (required && direction === 'input') {
      json.required = required.filter((name) => properties[name]?.default === undefined);
    }
    if (json.required && (json.required as unknown[]).length === 0) delete json.required;
    return json;
  }

  #part(key: string, value: unknown, direction: Direction): unknown {
    if (key === 'pattern') return portable(String(value));
    const entries = () => Object.entries(value as Record<string, object>);
    switch (key) {
      case 'properties':
        return Object.fromEntries(
          entries().map(([name, schema]) => [name, this.describeField(name, schema, direction)]),
        );
      case 'patternProperties':
        return Object.fromEntries(entries().map(([name, schema]) => [name, this.describe(schema, direction)]));
      case 'anyOf':
      case 'allOf':
      case 'oneOf':
        return (value as Schema[]).map((schema) => this.describe(schema, direction));
      case 'items':
      case 'additionalProperties':
      case 'propertyNames':
        return typeof value === 'object' ? this.describe(value as object, direction) : value;
      default:
        return value;
    }
  }
}

/** Many validators do not support Unicode property classes; surrogates cannot be expressed without them. */
function portable(pattern: string): string {
  return pattern.replaceAll('\\p{Cc}', '\\u0000-\\u001f\\u007f-\\u009f').replaceAll('\\p{Cs}', '');
}

/** The schema without references. */
export function inlineSchema(schema: object, direction: Direction = 'input'): Json {
  return new Inline().describe(schema, direction);
}

class Inline extends Components {
  override describe(schema: object, direction: Direction): Json {
    const { title: _, examples: __, ...rest } = schema as Schema;
    // Other programs do not know our own formats.
    if (ownFormats.has(String(rest.format))) delete rest.format;
    return super.describe(rest, direction);
  }
}
