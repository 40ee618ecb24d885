import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { and, empty, join, raw, Sql, sql } from './sql.ts';

test('values are bound, and fragments become a part of the text', () => {
  const condition = sql`b = ${2} AND c = ${[3]}`;
  const query = sql`SELECT ${raw('"a"')} FROM t WHERE a = ${1} ${and([condition, sql`d`])} LIMIT ${4}`;
  expect(query.text).toBe('SELECT "a" FROM t WHERE a = $1 AND b = $2 AND c = $3 AND d LIMIT $4');
  expect(query.values).toEqual([1, 2, [3], 4]);
  expect(sql`x ${empty}y ${and([])}z`).toMatchObject({ text: 'x y z', values: [] });
  expect(sql`IN (${join([1, sql`two`, '3'])})`).toMatchObject({ text: 'IN ($1,two,$2)', values: [1, '3'] });
  expect(() => join([])).toThrow('there is nothing to join');
});

/** What a fragment is composed of, and what it must become. */
interface Composed {
  readonly build: () => Sql;
  readonly parts: readonly (string | { readonly value: unknown })[];
}

const piece = (template: TemplateStringsArray, ..._: unknown[]) => template;
const templates = [piece`a ${0} b ${0} c`, piece`${0}${0}`, piece`x ${0} y ${0}`];

const { composed } = fc.letrec<{ composed: Composed; item: Composed | unknown }>((tie) => ({
  item: fc.oneof({ weight: 2, arbitrary: fc.jsonValue() }, tie('composed')),
  composed: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('', 'r', '$1', "'?'").map((text): Composed => ({ build: () => raw(text), parts: [text] })),
    fc.tuple(fc.nat(2), tie('item'), tie('item')).map(([index, ...items]): Composed => {
      const template = templates[index] as TemplateStringsArray;
      return {
        build: () => sql(template, ...items.map(buildItem)),
        parts: [
          template[0] ?? '',
          ...readParts(items[0]),
          template[1] ?? '',
          ...readParts(items[1]),
          template[2] ?? '',
        ],
      };
    }),
    fc.array(tie('item'), { minLength: 1, maxLength: 4 }).map(
      (items): Composed => ({
        build: () => join(items.map(buildItem), ' AND '),
        parts: items.flatMap((item, index) => [...(index > 0 ? [' AND '] : []), ...readParts(item)]),
      }),
    ),
  ),
}));

const isComposed = (item: unknown): item is Composed =>
  typeof item === 'object' && item !== null && typeof (item as Composed).build === 'function';
const buildItem = (item: unknown) => (isComposed(item) ? item.build() : item);
const readParts = (item: unknown) => (isComposed(item) ? item.parts : [{ value: item }]);

test('any composition has the text and the values of its parts, also when it is composed again', () => {
  fc.assert(
    fc.property(composed, ({ build, parts }) => {
      let count = 0;
      const text = parts.map((part) => (typeof part === 'string' ? part : `$${++count}`)).join('');
      const values = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.value]));
      for (const query of [build(), build()])
        expect({ text: query.text, values: query.values }).toEqual({ text, values });
    }),
    { numRuns: 500 },
  );
});

test('compositions without end use little memory, and those in use stay correct', () => {
  const kept = sql`a = ${1}`;
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 300_000; index += 1) {
    const query = sql`SELECT ${raw(`c${index}`)} WHERE ${kept}`;
    if (query.text !== `SELECT c${index} WHERE a = $1`) throw new Error(query.text);
  }
  gc();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * 2 ** 20);
  expect(sql`SELECT ${kept}`).toMatchObject({ text: 'SELECT a = $1', values: [1] });
  expect(kept).toBeInstanceOf(Sql);
});
