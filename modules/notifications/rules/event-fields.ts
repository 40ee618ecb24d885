import { Money, type TSchema } from '@chowk/kit';

/** A field of an event's payload that conditions and templates can use. */
export interface EventField {
  readonly kind: 'text' | 'number' | 'money' | 'time' | 'boolean';
  /** An array of such values. */
  readonly isList: boolean;
  /** The allowed values of a text. */
  readonly values: readonly string[] | undefined;
  readonly example: unknown;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
}

export type EventFields = ReadonlyMap<string, EventField>;

const cached = new WeakMap<TSchema, EventFields>();

/** The scalar fields of a payload and its arrays of scalars, by dotted path. */
export function readFields(payload: TSchema): EventFields {
  const known = cached.get(payload) ?? new Map(flatten(payload as Schema, ''));
  cached.set(payload, known);
  return known;
}

function* flatten(schema: Schema, path: string): Generator<[string, EventField]> {
  const inner = withoutNull(schema);
  if (inner?.properties) {
    for (const [name, property] of Object.entries(inner.properties)) {
      yield* flatten(property, path === '' ? name : `${path}.${name}`);
    }
    return;
  }
  const item = inner?.items && withoutNull(inner.items);
  const field = fieldFor(item ?? inner);
  if (field && path !== '') yield [path, { ...field, isList: item !== undefined }];
}

/** `undefined` for a union of several types. */
function withoutNull(schema: Schema): Schema | undefined {
  if (!schema.anyOf) return schema;
  const others = schema.anyOf.filter(({ type }) => type !== 'null');
  return others.length === 1 ? withoutNull(others[0] as Schema) : undefined;
}

function fieldFor(schema: Schema | undefined): Omit<EventField, 'isList'> | undefined {
  const kind = schema && findKind(schema);
  if (!kind) return undefined;
  const values = schema.enum?.filter((value) => typeof value === 'string');
  return { kind, values, example: schema.examples?.[0] ?? values?.[0] ?? examples[schema.format ?? kind] };
}

function findKind({ type, enum: values, format, pattern }: Schema): EventField['kind'] | undefined {
  if (pattern === (Money as Schema).pattern) return 'money';
  if (values) return values.every((value) => typeof value === 'string' || value === null) ? 'text' : undefined;
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.length !== 1) return undefined;
  switch (types[0]) {
    case 'string':
      return format === 'date-time' ? 'time' : 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return undefined;
  }
}

const examples: Readonly<Record<string, unknown>> = {
  uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
  'date-time': '2026-01-31T09:30:00.000Z',
  email: 'meera@example.com',
  text: 'text',
  number: 1,
  money: '199.65',
  boolean: true,
};

/** The value at a dotted path of a payload; `undefined` if there is none. */
export function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** A made-up payload with all its fields. */
export function samplePayload(fields: EventFields): Record<string, unknown> {
  const payload: Record<string, unknown> = {};
  for (const [path, { isList, example }] of fields) {
    const names = path.split('.');
    const last = names.pop() as string;
    let parent = payload;
    for (const name of names) {
      parent[name] ??= {};
      parent = parent[name] as Record<string, unknown>;
    }
    parent[last] = isList ? [example] : example;
  }
  return payload;
}

/** The path of the id of the customer that the event concerns; `undefined` if it concerns none. */
export function customerPathIn(fields: EventFields): string | undefined {
  return [...fields.keys()].find((path) => path === 'customer.id' || /^(\w+\.)?customer_id$/.test(path));
}

export function concernsOrder(fields: EventFields): boolean {
  return fields.has('order.order_number') && fields.has('order.total');
}
