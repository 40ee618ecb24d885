import { expect, test } from 'vitest';
import { firstRows } from './csv-rows.ts';

test.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    '\ufeffa,b\r\n1,\r\n',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  ['a\n"x, ""y""\nz"\n\n2', [['a'], ['x, "y"\nz'], ['2']]],
  ['a\nTe"a\n', [['a']]],
  ['', []],
])('the rows of %j are %j', (text, rows) => {
  expect(firstRows(text, 10)).toEqual(rows);
});

test('only the first rows are read', () => {
  expect(firstRows('a\n1\n2\n3\n', 2)).toEqual([['a'], ['1']]);
});
