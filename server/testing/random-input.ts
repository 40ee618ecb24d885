import { pick, type Random } from '@chowk/kit';
import { exampleOf } from '../src/http/openapi/examples.ts';

/* Random inputs from the schemas of actions: values that the schema accepts, and changes that it may reject. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly eachOneOf?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly money?: boolean;
  readonly sameAs?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
}

export type Fields = Record<string, unknown>;

/** Always the same numbers for a seed. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = [
  ...[
    'a',
    'Tea',
    'Asha Rao',
    'चाय',
    '红茶',
    '😀',
    'İstanbul',
    'ﷺ',
    'e\u0301',
    '\u202eabc',
    "o'k",
    '"q"',
    '\\',
    '%',
    '_',
  ],
  ...[
    "'; DROP TABLE users; --",
    '=1+1',
    '{{name}}',
    '$x',
    '<b>',
    '../..',
    'constructor',
    '__proto__',
    'null',
    '0',
    '-1',
  ],
  ...[
    'true',
    '1e5',
    'a,b',
    'a|b',
    'a b',
    'x@example.com',
    'acme-1',
    'en-IN',
    'IN',
    '/a.png',
    'https://x.example/a',
    '#1001',
  ],
  ...['line\nbreak', '\t', ' padded ', '98765 43210', '+919876543210', '2026-01-31', '123456'],
];
const texts: Readonly<Record<string, readonly string[]>> = {
  'date-time': [
    '2026-01-31T09:30:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2024-02-29T12:00:00+05:30',
  ],
  date: ['2026-01-31', '0001-01-01', '9999-12-31', '2024-02-29'],
  email: ['asha@example.com', "o'k+tag@sub.example.com", 'A@EXAMPLE.COM', `${'x'.repeat(60)}@example.com`],
  'time-zone': ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati'],
  currency: ['INR', 'USD', 'JPY', 'KWD'],
};
const amounts = ['0', '0.01', '199.65', '9999999999.99', 12.5, 0, 1e9];
const hostile = [
  ...['', '\0', 'a\0b', '\ud800', '9223372036854775808', '1e400', 'x'.repeat(3_000), '2016-12-31T23:59:60Z'],
  ...[null, true, -1, 0.1, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, [], {}, [null], [[]], { a: { b: [1] } }, ['a', 'a']],
];

/** Values of earlier responses by the first letters of their name, so that requests find existing records. */
export class SeenValues {
  readonly #values = new Map<string, unknown[]>();

  /** `customer_id`, `customer.id`, `customers.0.id` and the path `/customers/:id` mean the same. */
  static stem(name: string): string {
    return name.replace(/_ids?$/, '').slice(0, 4);
  }

  add(name: string, value: unknown): void {
    const values = this.#values.get(SeenValues.stem(name)) ?? [];
    this.#values.set(SeenValues.stem(name), [value, ...values].slice(0, 40));
  }

  of(name: string): readonly unknown[] {
    return this.#values.get(SeenValues.stem(name)) ?? [];
  }

  /** Adds ids, and values by which records are looked up. */
  read(value: unknown, name: string): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object') this.read(inner, Array.isArray(value) ? name : key);
      else if (key === 'id') this.add(name, inner);
      else if (/_id$|^(sku|email|phone|order_number|next_cursor|.*token|domain|platform)$/.test(key))
        this.add(key, inner);
    }
  }
}

export class RandomInput {
  readonly #random: Random;
  readonly #seen: SeenValues;

  constructor(random: Random, seen: SeenValues) {
    this.#random = random;
    this.#seen = seen;
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    return pick(this.#random, values);
  }

  /** A value that the schema accepts. `about` is the kind of record that an `id` belongs to. */
  valid(schema: object, name = '', about = ''): unknown {
    const { anyOf, examples, enum: allowed, eachOneOf, type, money, properties } = schema as Schema;
    if (allowed) return this.pick(allowed);
    if (eachOneOf) return [this.pick(eachOneOf)];
    if (anyOf && !properties) return this.valid(this.pick(anyOf), name, about);
    if (money) return this.pick([type].flat().includes('null') ? [null, ...amounts] : amounts);
    const seen = this.#seen.of(name === 'id' ? about : name);
    if (seen.length > 0 && this.chance(0.8)) return this.pick(seen);
    if (examples?.length && this.chance(0.3)) return this.pick(examples);
    return this.#ofType(schema as Schema, name, about);
  }

  #ofType(schema: Schema, name: string, about: string): unknown {
    const { type, minimum = 0, maximum = 1_000, items = {}, minItems = 0 } = schema;
    switch (this.pick([type ?? 'any'].flat())) {
      case 'string':
        return this.#text(schema, name);
      case 'integer':
        return this.pick([minimum, maximum, Math.min(maximum, minimum + Math.floor(this.#random() * 100))]);
      case 'number':
        return this.pick([minimum, maximum, minimum + this.#random()]);
      case 'boolean':
        return this.chance(0.5);
      case 'array':
        return Array.from({ length: minItems + Math.floor(this.#random() * 3) }, () => this.valid(items, name, about));
      case 'object':
        return this.#record(schema, about);
      case 'null':
        return null;
      default:
        return this.pick([...words, ...amounts, null, {}]);
    }
  }

  #text(schema: Schema, name: string): unknown {
    const { format = '', pattern = '', minLength = 0, maxLength = 10_000 } = schema;
    if (format === 'uuid') return this.pick([crypto.randomUUID(), '01890000-0000-7000-8000-000000000001']);
    const expression = new RegExp(pattern, 'u');
    const long = this.chance(0.05) ? ['é'.repeat(maxLength)] : [];
    const known = texts[format] ?? [...words, ...long, `${this.pick(words)}${Math.floor(this.#random() * 1e6)}`];
    const fitting = known.filter((text) => {
      const { length } = [...text.trim()];
      return length >= minLength && length <= maxLength && expression.test(text);
    });
    return fitting.length > 0 ? this.pick(fitting) : exampleOf(schema, 'input', name);
  }

  #record({ properties = {}, patternProperties, required = [] }: Schema, about: string): Fields {
    const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || this.chance(0.5));
    const record: Fields = Object.fromEntries(
      chosen.map(([name, field]) => [name, this.valid(field, name, name === 'id' ? about : name)]),
    );
    for (const [name, { sameAs }] of chosen) if (sameAs) record[name] = record[sameAs];
    const [others] = Object.values(patternProperties ?? {});
    if (others) record[this.pick(['shopify', 'constructor', 'a b', 'चाय'])] = this.valid(others);
    return record;
  }

  /** The same input with one part replaced, removed or added. */
  mutate(input: Fields): Fields {
    const copy = structuredClone(input);
    const places: [container: Fields, key: string][] = [];
    const visit = (container: Fields) => {
      for (const [key, value] of Object.entries(container)) {
        places.push([container, key]);
        if (typeof value === 'object' && value !== null) visit(value as Fields);
      }
    };
    visit(copy);
    const [container, key] = places.length > 0 ? this.pick(places) : [copy, 'unknown'];
    const kind = this.#random();
    if (kind < 0.15) delete container[key];
    else if (kind < 0.25) container[`${key}x`] = container[key];
    else if (kind < 0.35) container[key] = [container[key], container[key]];
    else container[key] = this.pick<unknown>([...hostile, ...words]);
    return copy;
  }
}
