import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Nullable, Timestamp, Type } from './schema.ts';
import { timeFields, withIsoTimes } from './times-in-json.ts';

const fields = timeFields(
  Type.Object({ text: Type.String(), at: Timestamp, ended_at: Nullable(Timestamp), count: Type.Integer() }),
);

test('time fields of a schema are found, also nullable ones', () => {
  expect(fields).toEqual(new Set(['at', 'ended_at']));
});

test.each([
  ['2026-01-31T09:30:00+00:00', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30:00.1+00:00', '2026-01-31T09:30:00.100Z'],
  ['2026-01-31T09:30:00.123+00:00', '2026-01-31T09:30:00.123Z'],
  ['2026-01-31T09:30:00.123456+00:00', '2026-01-31T09:30:00.123Z'],
])('%s becomes %s', (written, expected) => {
  expect(withIsoTimes(JSON.stringify([{ at: written }]), fields)).toBe(JSON.stringify([{ at: expected }]));
});

test('only time fields are changed, not texts', () => {
  const time = fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const tricky = fc.constantFrom('+00:00', '"', '\\', '"at":"', '2026-01-31T09:30:00', '.12', ':', ',', '\n', 'x');
  const text = fc.array(tricky, { maxLength: 6 }).map((parts) => parts.join(''));
  const row = fc.record({ text, at: time, ended_at: fc.option(time), count: fc.nat() });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
      const offsets = rows.map(({ at, ended_at, ...rest }) => ({
        ...rest,
        at: at.replace(/\.?0*Z$/, '+00:00'),
        ended_at: ended_at?.replace(/\.?0*Z$/, '+00:00') ?? null,
      }));
      expect(JSON.parse(withIsoTimes(JSON.stringify(offsets), fields))).toEqual(
        rows.map(({ text, count, at, ended_at }) => ({ text, count, at, ended_at: ended_at ?? null })),
      );
    }),
    { numRuns: 500 },
  );
});
