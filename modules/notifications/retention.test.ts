import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { retentionJobs } from './retention.ts';

const day = 24 * 3_600_000;
let now = Date.parse('2026-07-01T10:00:00Z');
const platform = await startAccounts({ now: () => new Date(now) });
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const prune = () => retentionJobs['notifications.prune'].run(acme.context('notifications'), {});

/** As old as the number of days says. */
async function store(...ages: readonly number[]): Promise<void> {
  const times = ages.map((age) => new Date(now - age * day));
  await acme.db.run(sql`
    INSERT INTO notifications (id, user_id, type, title, created_at, updated_at)
    SELECT gen_random_uuid(), ${asha.id}, 'order.created', 'Old', at, at FROM unnest(${times}::timestamptz[]) AS at`);
}

const total = async () => (await asha.get('/api/v1/notifications')).body.pagination.total;

test('notifications are kept for 180 days, or for the number of days that the tenant sets', async () => {
  await store(181, 179, 31, 29);
  expect(await prune()).toEqual({ deleted: 1 });
  await asha.patch('/api/v1/settings', { 'notifications.retention_days': 30 });
  expect(await prune()).toEqual({ deleted: 2 });
  expect(await total()).toBe(1);
  expect((await asha.get('/api/v1/notifications/unread-count')).body).toEqual({ unread_count: 1 });
  now += 2 * day;
  expect(await prune()).toEqual({ deleted: 1 });
  expect(await prune()).toEqual({ deleted: 0 });
});
