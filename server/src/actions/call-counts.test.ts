import { action, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';
import { fail } from '../errors.ts';

const work = testModule({
  alias: 'work',
  actions: {
    'work.do': action({
      summary: 'Do something',
      http: 'POST /work',
      public: true,
      input: Type.Object({ how: Type.String() }),
      run: async (ctx, { how }) => {
        if (how === 'refuse') throw fail('http.not_found');
        if (how === 'break') throw new Error('broken');
        if (how === 'overflow') await ctx.db.row(sql`SELECT 99999999999::int`);
        return {};
      },
    }),
  },
});
const platform = await startPlatform({ modules: [work] });
const { central, calls } = platform.kernel;
const acme = await platform.tenant();

async function call(...hows: string[]) {
  for (const how of hows) {
    await platform.request({
      method: 'POST',
      url: '/api/v1/work',
      payload: { how },
      headers: { 'x-tenant': acme.id },
    });
  }
}

const readCounts = () =>
  central.db.rows(sql`
    SELECT ring, alias, version, sum(calls)::int AS calls, sum(errors)::int AS errors, max(hour) > now() - interval '61 minutes' AS recent
    FROM module_call_counts GROUP BY ring, alias, version`);

test('calls of a version are counted, and as errors only those that the module is the cause of', async () => {
  await call('well', 'refuse', 'overflow', 'break');
  await calls.flush();
  const row = { ring: 'stable', alias: 'work', version: '1.0.0', recent: true };
  expect(await readCounts()).toEqual([{ ...row, calls: 4, errors: 1 }]);
  await call('break');
  await calls.flush();
  await calls.flush();
  expect(await readCounts()).toEqual([{ ...row, calls: 5, errors: 2 }]);
});

test('counts that cannot be written are written later', async () => {
  await central.db.run(sql`DELETE FROM module_call_counts`);
  await call('well', 'break');
  await central.db.run(sql`ALTER TABLE module_call_counts RENAME TO hidden`);
  await calls.flush();
  await central.db.run(sql`ALTER TABLE hidden RENAME TO module_call_counts`);
  await call('well');
  await calls.flush();
  expect(await readCounts()).toMatchObject([{ calls: 3, errors: 1 }]);
});

test('counts are deleted after 90 days', async () => {
  await central.db.run(sql`DELETE FROM module_call_counts`);
  await central.db.run(sql`
    INSERT INTO module_call_counts (ring, alias, version, hour)
    SELECT 'stable', 'work', version, now() - make_interval(days => days) FROM (VALUES ('0.1.0', 91), ('0.2.0', 89)) AS v (version, days)`);
  await platform.kernel.work();
  await platform.kernel.jobs.add({ job: 'kernel.prune_central', tenant: '', data: {}, requestId: 'test' });
  const versions = () => central.db.rows(sql`SELECT version FROM module_call_counts`);
  await expect.poll(versions, { timeout: 10_000 }).toEqual([{ version: '0.2.0' }]);
});
