import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, escapeFormula, unescapeFormula } from './csv.ts';

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t1',
  '\r1',
  '\n',
  '＝1',
  '＋1',
  '－1',
  '＠A1',
  "'=1",
  "''@",
  '+91-98',
  '+cmd|x',
])('a cell that begins with %j is escaped', (text) => {
  expect(escapeFormula(text)).toBe(`'${text}`);
});

test.each([
  ['tea;=1+1', "tea;'=1+1"],
  ['tea\t@A1', "tea\t'@A1"],
  ['tea\n-1', "tea\n'-1"],
  ['tea\r\n=1', "tea\r\n'=1"],
  ['\t=1', "'\t'=1"],
  ["a;'=1;b;+1", "a;''=1;b;'+1"],
  ['+919876543210;=1', "+919876543210;'=1"],
])('a formula after a semicolon, a tab or a line break is escaped: %j', (text, escaped) => {
  expect(escapeFormula(text)).toBe(escaped);
});

test.each(['', 'tea', "'tea'", '1 - 1', 'a=b', 'चाय', '茶', ' ', "'", 'a; b', 'a,=b'])('%j is not escaped', (text) => {
  expect(escapeFormula(text)).toBe(text);
});

test.each(['+919876543210', '+**********10', "'+919876543210", 'a;+919876543210'])(
  'the phone %j is not escaped',
  (text) => {
    expect(escapeFormula(text)).toBe(text);
    expect(unescapeFormula(text)).toBe(text);
  },
);

test('unescaping reverses escaping, and no part of an escaped cell is a formula', () => {
  const hostile = fc.constantFrom("'", '=', '-', '+', '1234', '*', '＝', '\t', '\r', '\n', ';', ',', '茶', ' ');
  const text = fc.oneof(fc.string({ unit: hostile, maxLength: 12 }), fc.string());
  fc.assert(
    fc.property(text, (original) => {
      const cell = escapeFormula(original);
      expect(unescapeFormula(cell)).toBe(original);
      for (const part of cell.split(/[;\t\r\n]/)) expect(part).not.toMatch(/^(?!\+[\d*]{4,20}$)[=+\-@＝＋－＠]/);
    }),
  );
});

test('cells are quoted where necessary', () => {
  expect(csvLine(['a', '', 'b,c', '"d"', 'e\nf', 'g\rh', ' i ', "'=j", "o'k", 'l;m', 'n\to'])).toBe(
    'a,,"b,c","""d""","e\nf","g\rh", i ,"\'=j","o\'k","l;m","n\to"\r\n',
  );
});
