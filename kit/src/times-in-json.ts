import type { TObject } from './schema.ts';

interface Field {
  readonly format?: string;
  readonly anyOf?: readonly Field[];
}

export function timeFields({ properties }: TObject): ReadonlySet<string> {
  const isTime = ({ format, anyOf = [] }: Field): boolean => format === 'date-time' || anyOf.some(isTime);
  return new Set(Object.keys(properties).filter((name) => isTime(properties[name] as Field)));
}

const offset = '+00:00"';
const secondsLength = '2026-01-31T09:30:00'.length;

/**
 * Converts times in JSON from PostgreSQL, `2026-01-31T09:30:00.12+00:00`, to `2026-01-31T09:30:00.120Z`, ten times faster
 * than `to_char`. Quotes inside text are escaped, so only values of fields match.
 */
export function withIsoTimes(json: string, fields: ReadonlySet<string>): string {
  let result = '';
  let from = 0;
  for (let end = json.indexOf(offset); end !== -1; end = json.indexOf(offset, end + 1)) {
    const dot = json.lastIndexOf('.', end);
    const seconds = dot > end - 8 ? dot : end;
    const value = seconds - secondsLength;
    const name = json.slice(json.lastIndexOf('"', value - 4) + 1, value - 3);
    if (!json.startsWith('":"', value - 3) || !fields.has(name)) continue;
    result += `${json.slice(from, seconds)}.${json
      .slice(seconds + 1, end)
      .slice(0, 3)
      .padEnd(3, '0')}Z"`;
    from = end + offset.length;
  }
  return result + json.slice(from);
}
