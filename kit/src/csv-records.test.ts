import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';
import { readRecords } from './csv-records.ts';

const read = (text: string) => [...readRecords(text)];

test('records begin on their lines, also after cells with line breaks', () => {
  expect(read('\ufeffa,b\r\n\r\n"1\r\n2",""\n\rx,y\rz')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: [''] },
    { line: 3, cells: ['1\r\n2', ''] },
    { line: 5, cells: [''] },
    { line: 6, cells: ['x', 'y'] },
    { line: 7, cells: ['z'] },
  ]);
});

test('what is written is read again', () => {
  const cells = fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'ñ', ';') }), {
    minLength: 2,
    maxLength: 5,
  });
  fc.assert(
    fc.property(fc.array(cells, { minLength: 1, maxLength: 5 }), (records) => {
      expect(read(records.map(csvLine).join('')).map((record) => record.cells)).toEqual(records);
    }),
  );
});

test('any text is read as another parser reads it, or refused by both', () => {
  const options = {
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
  };
  const attempt = (work: () => unknown) => {
    try {
      return work();
    } catch {
      return 'refused';
    }
  };
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '"', ',', '\r', '\n', ' '), maxLength: 30 }), (text) => {
      const other = attempt(() => (parse(text, options) as string[][]).filter((cells) => cells.join(',') !== ''));
      const own = attempt(() =>
        read(text)
          .map(({ cells }) => cells)
          .filter((cells) => cells.join(',') !== ''),
      );
      expect(own).toEqual(other);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['a,"b\r\nc', 'Line 1: the quote that opens a cell is not closed.'],
  ['a\r\nb"c', 'Line 2: a quote in a cell must be doubled, and the cell enclosed in quotes.'],
  ['a\r\n"b"c', 'Line 2: a comma or the end of the line must follow a closing quote.'],
  [','.repeat(1_000), 'Line 1: there are more than 1000 cells.'],
])('%j is refused', (text, message) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ status: 422 }));
  try {
    read(text);
  } catch (error) {
    expect(JSON.stringify(error)).toContain(message);
  }
});
