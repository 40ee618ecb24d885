/** The parts of a JSON schema that say where it has ids. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Whether an integer is an id: that of a user, or a field that is named so. */
export function isIntegerId(name: string, { type, minimum, maximum }: Schema): boolean {
  const isUserId = minimum === 1 && maximum === Number.MAX_SAFE_INTEGER;
  return type === 'integer' && (isUserId || /(^|_)ids?$/.test(name));
}

type Read = (value: unknown) => unknown;

/** Returns how the ids of an input become the integers that its schema has; `undefined` if it has none. */
export function integerIdReader(schema: Schema | undefined, name = ''): Read | undefined {
  if (!schema) return undefined;
  if (isIntegerId(name, schema)) return toInteger;
  const { items, properties, anyOf } = schema;
  if (items) {
    const read = integerIdReader(items, name);
    return read && ((value) => (Array.isArray(value) ? value.map(read) : value));
  }
  if (anyOf) return anyOf.map((one) => integerIdReader(one, name)).find((read) => read !== undefined);
  const readers = Object.entries(properties ?? {}).flatMap(([key, one]): [string, Read][] => {
    const read = integerIdReader(one, key);
    return read ? [[key, read]] : [];
  });
  return readers.length === 0 ? undefined : (value) => readFields(value, readers);
}

function readFields(value: unknown, readers: readonly [string, Read][]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const [key, read] of readers) if (Object.hasOwn(copy, key)) copy[key] = read(copy[key]);
  return copy;
}

/** Other texts stay, and are refused by the validation of the action. */
function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
}
