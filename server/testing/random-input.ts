import { pick, type Random } from '@chowk/kit/kernel';
import { createExample } from '../src/http/openapi/examples.ts';

/* Random inputs from the schemas of actions: values that the schema accepts, and changes that it may reject. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly eachEnum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly money?: boolean;
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
  'line\nbreak',
  '\t',
  ' padded ',
  '98765 43210',
  '+919876543210',
  '2026-01-31',
  '123456',
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
  '',
  '\0',
  'a\0b',
  '\ud800',
  '9223372036854775808',
  '1e400',
  'x'.repeat(3_000),
  '2016-12-31T23:59:60Z',
  null,
  true,
  -1,
  0.1,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1e308,
  [],
  {},
  [null],
  [[]],
  { a: { b: [1] } },
  ['a', 'a'],
];

/** Values by the name of the field, where almost all others are invalid. */
const valuesByName: Readonly<Record<string, readonly unknown[]>> = {
  phone: ['98765 43210', '+91 (98765) 43211', '0049 30 123456', '+14155550100', null],
  client_id: ['chowk-cli', 'chowk-console'],
  csv: [
    'sku,title,price,stock\nA-1,Tea,4.50,3\nA-2,"Green, tea",x,\n',
    'sku,description\nA-1,"two\nlines"\n',
    'sku\n',
    '',
  ],
};
const lookupNames = /^(sku|email|order_number|next_cursor|refresh_token|device_code|user_code|domain|platform|token)$/;

/** Values of earlier responses, so that requests find existing records. */
export class SeenValues {
  readonly #values = new Map<string, unknown[]>();

  add(name: string, value: unknown): void {
    const values = this.#values.get(name) ?? [];
    this.#values.set(name, [value, ...values.filter((other) => other !== value)].slice(0, 20));
  }

  /** `customer_id`, the `id` of `customer` or `customers` and the path `/customers/:id` mean the same. */
  addId(name: string, value: unknown): void {
    this.add(idName(name), value);
  }

  of(name: string, about: string): readonly unknown[] {
    const values = (key: string) => this.#values.get(key) ?? [];
    if (name === 'cursor') return values('next_cursor');
    return name === 'id' ? values(idName(about)) : [values(name), values(idName(name)), values(idName(about))].flat();
  }

  /** Adds ids, and values by which records are looked up. */
  read(value: unknown, name: string): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object') this.read(inner, Array.isArray(value) ? name : key);
      else if (key === 'id') this.addId(name, inner);
      else if (key.endsWith('_id')) this.addId(key, inner);
      else if (lookupNames.test(key)) this.add(key, inner);
    }
  }
}

/** Singular, plural and abbreviation have these letters in common. */
function idName(name: string): string {
  return `id of ${name.replace(/_ids?$/, '').slice(0, 4)}`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the schema may accept a value of an earlier response. */
function fits({ type, format, pattern = '', maxLength = 10_000, maximum = Infinity }: Schema, value: unknown): boolean {
  const isText = [type].flat().includes('string');
  if (typeof value === 'number') return type === 'integer' && value <= maximum;
  if (typeof value !== 'string' || !isText || value.length > maxLength) return false;
  return (format !== 'uuid' || uuid.test(value)) && new RegExp(pattern, 'u').test(value);
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
    const { anyOf, examples, enum: allowed, eachEnum, type, money, properties } = schema as Schema;
    if (allowed) return this.pick(allowed);
    if (eachEnum) return [this.pick(eachEnum)];
    if (anyOf && !properties) return this.valid(this.pick(anyOf), name, about);
    if (money) return this.pick([type].flat().includes('null') ? [null, ...amounts] : amounts);
    const seen = this.#seen.of(name, about).filter((value) => fits(schema as Schema, value));
    const isIdentifier = /^id$|_ids?$|^(addr|reservation|password|current_password)$/.test(name);
    if (seen.length > 0 && this.chance(isIdentifier ? 0.9 : 0.4)) return this.pick(seen);
    if (valuesByName[name] && this.chance(0.9)) return this.pick(valuesByName[name]);
    if (examples?.length && this.chance(0.4)) return this.pick(examples);
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
    if (format === 'email' && this.chance(0.6)) return `${Math.floor(this.#random() * 1e9)}@example.com`;
    const known = texts[format] ?? [...words, ...long, `${this.pick(words)}${Math.floor(this.#random() * 1e6)}`];
    const fitting = known.filter((text) => {
      const { length } = [...text.trim()];
      return length >= minLength && length <= maxLength && expression.test(text);
    });
    return fitting.length > 0 ? this.pick(fitting) : createExample(schema, 'input', name);
  }

  #record({ properties = {}, patternProperties, required = [] }: Schema, about: string): Fields {
    const fields = Object.entries(properties);
    const chosen = fields.filter(([name]) => required.includes(name) || this.chance(Math.min(0.5, 2 / fields.length)));
    const record: Fields = Object.fromEntries(
      chosen.map(([name, field]) => [name, this.valid(field, name, field.properties ? name : about)]),
    );
    if ('password_confirmation' in record) record.password_confirmation = record.password;
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
