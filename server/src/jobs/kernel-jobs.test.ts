import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';

const platform = await startPlatform({ modules: [] });
const { central, jobs } = platform.kernel;

function run(job: string, tenant = ''): Promise<unknown> {
  return jobs.getHandler(job).perform({ job, tenant, data: {}, requestId: 'test' });
}

const nothing = { audit_lines: 0, idempotency_keys: 0, requests: 0, unregistered_operations: 0 };

const expiredKeys = (count: number) => sql`
  INSERT INTO idempotency_keys (caller, key, request_hash, expires_at)
  SELECT 'user 1', n, '', now() + CASE n WHEN 0 THEN interval '1 hour' ELSE interval '-1 second' END
  FROM generate_series(0, ${count}::int) n`;

test('old audit entries are deleted in batches, each in a transaction of its own', async () => {
  const { id, db } = await platform.tenant();
  await db.run(sql`
    INSERT INTO module_bus_audit_log (id, at, transport, action, resource, outcome, request_id, duration_ms)
    SELECT gen_random_uuid(), now() - interval '1 day' * CASE WHEN n > 2500 THEN 1 ELSE 4000 END, 'rest', 'notes.add',
      'notes', 'ok', '', 1
    FROM generate_series(1, 2510) n`);
  await db.run(sql`CREATE TABLE deletions (transaction xid8, count int)`);
  await db.run(sql`
    CREATE FUNCTION record_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO deletions SELECT pg_current_xact_id(), count(*) FROM gone;
      RETURN NULL;
    END $$`);
  await db.run(sql`
    CREATE TRIGGER record_deletion AFTER DELETE ON module_bus_audit_log REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION record_deletion()`);
  expect(await run('kernel.prune', id)).toEqual({ ...nothing, audit_lines: 2_500 });
  const deletions = await db.rows(sql`SELECT sum(count) AS count FROM deletions GROUP BY transaction ORDER BY 1 DESC`);
  expect(deletions).toEqual([{ count: 1_000 }, { count: 1_000 }, { count: 500 }]);
  expect(await db.rows(sql`SELECT FROM module_bus_audit_log`)).toHaveLength(10);
});

test('a row that is in use does not hold up the deletion of the others', async () => {
  const { id, db } = await platform.tenant();
  await db.run(expiredKeys(20));
  await db.tx(async (tx) => {
    await tx.run(sql`SELECT FROM idempotency_keys WHERE key = '7' FOR UPDATE`);
    expect(await run('kernel.prune', id)).toEqual({ ...nothing, idempotency_keys: 19 });
  });
  expect(await db.rows(sql`SELECT key FROM idempotency_keys ORDER BY key`)).toEqual([{ key: '0' }, { key: '7' }]);
});

test('unregistered operations are deleted 30 days after their last use', async () => {
  const { id, db } = await platform.tenant();
  await db.run(sql`
    INSERT INTO unregistered_operations (hash, query, uses, first_seen_at, last_seen_at)
    SELECT n, '{ __typename }', 1, now() - interval '60 days', now() - interval '1 day' * n
    FROM unnest(ARRAY[29, 31]) n`);
  expect(await run('kernel.prune', id)).toEqual({ ...nothing, unregistered_operations: 1 });
  expect(await db.rows(sql`SELECT hash FROM unregistered_operations`)).toEqual([{ hash: '29' }]);
});

test('expired idempotency keys of the central database are deleted', async () => {
  await central.db.run(expiredKeys(3));
  expect(await run('kernel.prune_central')).toEqual({ idempotency_keys: 3, call_counts: 0 });
  expect(await central.db.rows(sql`SELECT key FROM idempotency_keys`)).toEqual([{ key: '0' }]);
});
