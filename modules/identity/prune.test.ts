import { randomBytes } from 'node:crypto';
import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { getAccounts } from './accounts/accounts.ts';

const platform = await startAccounts();
const { central, jobs } = platform.kernel;
const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };

async function prune(): Promise<void> {
  await jobs.add({ job: 'identity.prune', tenant: '', data: {}, requestId: 'test' });
  await eventually(async () => {
    const open = await central.db.rows(sql`
      SELECT 1 FROM pgboss.job WHERE data->>'job' = 'identity.prune' AND state <> 'completed'`);
    expect(open).toEqual([]);
  });
}

const bytes = () => randomBytes(16);
const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
const person = await platform.person();
await central.db.run(sql`INSERT INTO oauth_clients (id, name, grants) VALUES ('tv', 'TV', ARRAY['device_code'])`);

/** Each kind of row and its age in days: rows of the first age are kept, those of the second are deleted. */
const kinds = [
  {
    table: 'password_resets',
    days: [-0.01, 0.01],
    add: (days: number) =>
      sql`INSERT INTO password_resets (token_hash, user_id, expires_at) VALUES (${bytes()}, ${person.id}, ${ago(days)})`,
    count: sql`SELECT count(*) FROM password_resets`,
  },
  {
    table: 'email_changes',
    days: [29, 31],
    add: (days: number) => sql`
      INSERT INTO email_changes (token_hash, user_id, old_email, old_verified_at, old_password_hash, new_email, requested_at,
        created_at, expires_at)
      VALUES (${bytes()}, ${person.id}, 'a@b.c', now(), 'x', 'd@e.f', ${ago(days)}, ${ago(days)}, ${ago(days - 7)})`,
    count: sql`SELECT count(*) FROM email_changes`,
  },
  {
    table: 'device_codes',
    days: [-0.01, 0.01],
    add: (days: number) => sql`
      INSERT INTO device_codes (device_hash, user_code, client_id, expires_at)
      VALUES (${bytes()}, ${bytes().toString('hex')}, 'tv', ${ago(days)})`,
    count: sql`SELECT count(*) FROM device_codes`,
  },
  {
    // Those that have registered themselves and that nobody has approved.
    table: 'apps',
    days: [0.9, 1.1],
    add: (days: number) => sql`
      WITH client AS (
        INSERT INTO oauth_clients (id, name, grants) VALUES (${bytes().toString('hex')}, 'App', '{}') RETURNING id)
      INSERT INTO apps (id, redirect_uris, acts_as, created_at)
      SELECT id, '{https://example.com}', 'user', ${ago(days)} FROM client`,
    count: sql`SELECT count(*) FROM apps`,
  },
  {
    table: 'activity_log',
    days: [399, 401],
    add: (days: number) =>
      sql`INSERT INTO activity_log (id, at, action) VALUES (gen_random_uuid(), ${ago(days)}, 'something')`,
    count: sql`SELECT count(*) FROM activity_log`,
  },
];

test.each(kinds)('old rows of $table are deleted and the others stay', async ({ days, add, count }) => {
  for (const one of days) await central.db.run(add(one));
  await prune();
  expect(await central.db.row(count)).toEqual({ count: 1 });
});

test('sessions that ended a month ago are deleted with their tokens; others stay', async () => {
  const { sessions } = getAccounts(platform.kernel.services);
  const open = async (change: ReturnType<typeof sql>) => {
    const { id } = await platform.person();
    await central.db.run(sql`UPDATE sessions SET ${change} WHERE user_id = ${id}`);
    return id;
  };
  const gone = [
    await open(sql`revoked_at = ${ago(31)}`),
    await open(sql`expires_at = ${ago(31)}`),
    await open(sql`revoked_at = ${ago(31)}, expires_at = NULL`),
  ];
  const kept = [
    await open(sql`revoked_at = ${ago(29)}`),
    await open(sql`expires_at = ${ago(29)}`),
    await open(sql`expires_at = NULL`),
    await open(sql`name = 'as it is'`),
  ];
  await prune();
  const left = await central.db.rows<{ user_id: number; tokens: number }>(sql`
    SELECT s.user_id, count(r.hash) AS tokens FROM sessions s LEFT JOIN refresh_tokens r ON r.session_id = s.id
    WHERE s.user_id = ANY(${[...gone, ...kept]}::bigint[]) GROUP BY s.user_id ORDER BY s.user_id`);
  expect(left).toEqual(kept.map((user_id) => ({ user_id, tokens: 1 })));
  expect(await sessions.open({ userId: person.id, kind: 'login', client })).toBeDefined();
});

test('expired refresh tokens are deleted, and their session continues', async () => {
  const { sessions } = getAccounts(platform.kernel.services);
  const { refresh_token } = await sessions.open({ userId: person.id, kind: 'login', client });
  const next = await sessions.refresh(refresh_token);
  const { id } = (await sessions.find(refresh_token)) ?? { id: '' };
  await central.db.run(
    sql`UPDATE refresh_tokens SET expires_at = ${ago(1)} WHERE session_id = ${id} AND used_at IS NOT NULL`,
  );
  await prune();
  expect(await sessions.find(refresh_token)).toBeUndefined();
  expect(await sessions.refresh(next?.refresh_token ?? '')).toBeDefined();
});

test('pruning runs every night', async () => {
  const rows = await central.db.rows(sql`SELECT cron FROM pgboss.schedule WHERE key = 'identity.prune'`);
  expect(rows).toEqual([{ cron: '41 3 * * *' }]);
});
