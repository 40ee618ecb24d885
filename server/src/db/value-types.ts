import pg from 'pg';

const { builtins } = pg.types;

type Parser = (text: string) => unknown;

/** `2026-11-15 09:30:00.12+00` to `2026-11-15T09:30:00.120Z`. Text to text: a Date object costs more than the row. */
export function timestampToIso(text: string): string {
  const fraction =
    text.charAt(19) === '.'
      ? text
          .slice(20, text.length - 3)
          .slice(0, 3)
          .padEnd(3, '0')
      : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

const parsers: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [builtins.TIMESTAMPTZ, timestampToIso],
  [builtins.TIMESTAMP, (text) => text],
  [builtins.DATE, (text) => text],
  [builtins.NUMERIC, (text) => text],
  // Ids and counts; none of ours leaves the range in which a number is exact.
  [builtins.INT8, Number],
]);

export const valueTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary') as unknown as Parser;
    return parsers.get(oid) ?? (pg.types.getTypeParser(oid, 'text') as Parser);
  },
};
