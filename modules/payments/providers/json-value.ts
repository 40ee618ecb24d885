/** The value at a dotted path of parsed JSON. */
export function readValue(json: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined), json);
}

/** A text that can be stored and shown: not empty, on one line and not long. */
export function readText(json: unknown, path: string): string | undefined {
  const value = readValue(json, path);
  if (typeof value !== 'string') return undefined;
  return (
    value
      .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
      .trim()
      .slice(0, 500) || undefined
  );
}

/** An id of a provider. */
export function readId(json: unknown, path: string): string | undefined {
  const text = readText(json, path);
  return text !== undefined && /^[\w-]{1,255}$/.test(text) ? text : undefined;
}

/** An id of ours that a provider sends back. */
export function readUuid(json: unknown, path: string): string | undefined {
  const text = readText(json, path);
  return text !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : undefined;
}

/** An amount in minor units. */
export function readUnits(json: unknown, path: string): bigint | undefined {
  const value = readValue(json, path);
  return Number.isSafeInteger(value) && (value as number) > 0 ? BigInt(value as number) : undefined;
}

export function readCurrency(json: unknown, path: string): string | undefined {
  const text = readText(json, path)?.toUpperCase();
  return text !== undefined && /^[A-Z]{3}$/.test(text) ? text : undefined;
}

/** A time in seconds since 1970. */
export function readTime(json: unknown, path: string): Date | undefined {
  const value = readValue(json, path);
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 1e11
    ? new Date((value as number) * 1_000)
    : undefined;
}

/** `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
