import { sql } from '@chowk/kit/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const { db } = await (await startPlatform({ modules: [] })).tenant();

test('the SQL function iso() writes timestamps as the driver reads them', async () => {
  const moment = fc
    .tuple(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true }), fc.nat(999))
    .map(([date, micros]) => date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`));
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 200 }), async (moments) => {
      const rows = await db.rows<{ at: string; written: string }>(sql`
        SELECT at, iso(at) AS written FROM unnest(${moments}::timestamptz[]) AS at`);
      expect(rows.map(({ written }) => written)).toEqual(rows.map(({ at }) => at));
    }),
    { numRuns: 50, examples: [[['2026-11-15T09:30:00Z', '2026-11-15T09:30:00.1Z', '2026-11-15T09:30:00.12Z']]] },
  );
});
