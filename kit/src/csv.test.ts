import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, escapeFormula, unescapeFormula } from './csv.ts';

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A1', "'=1", "''@"])(
  'a cell that begins with %j is escaped',
  (text) => {
    expect(escapeFormula(text)).toBe(`'${text}`);
  },
);

test.each(['', 'tea', "'tea'", '1 - 1', 'a=b', 'चाय', '茶', ' ', "'"])('%j is not escaped', (text) => {
  expect(escapeFormula(text)).toBe(text);
});

test('unescaping reverses escaping', () => {
  const start = fc.string({ unit: fc.constantFrom("'", '=', '-', '＝', '\t', '茶'), maxLength: 4 });
  fc.assert(
    fc.property(start, fc.string(), (a, b) => {
      expect(escapeFormula(a + b)).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(unescapeFormula(escapeFormula(a + b))).toBe(a + b);
    }),
  );
});

test('cells are quoted where necessary', () => {
  expect(csvLine(['a', '', 'b,c', '"d"', 'e\nf', 'g\rh', ' i ', "'=j", "o'k"])).toBe(
    'a,,"b,c","""d""","e\nf","g\rh", i ,"\'=j","o\'k"\r\n',
  );
});
