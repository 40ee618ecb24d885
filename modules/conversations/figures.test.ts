import { randomUUID } from 'node:crypto';
import { sql } from '@chowk/kit';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const url = '/api/v1/conversations';
const permissions = ['view', 'reply', 'close', 'delete'].map((verb) => `conversations.${verb}`);
const range = '?from=2026-03-01&to=2026-03-31';

/** Moves what has happened to other times, as if it had happened then. */
async function setTimes(tenant: TestTenant, id: string, times: Record<string, string>) {
  const row = JSON.stringify(times);
  await tenant.db.run(sql`
    UPDATE conversations c SET created_at = coalesce((r.t ->> 'created')::timestamptz, created_at),
      first_inbound_at = coalesce((r.t ->> 'inbound')::timestamptz, first_inbound_at),
      first_answer_at = coalesce((r.t ->> 'answer')::timestamptz, first_answer_at),
      closed_at = coalesce((r.t ->> 'closed')::timestamptz, closed_at)
    FROM (SELECT ${row}::jsonb AS t) r WHERE c.id = ${id}`);
}

test('figures are by day of the tenant and by member', async () => {
  const acme = await platform.tenant();
  const [asha, ravi] = [acme.caller(...permissions, 'settings.edit'), acme.caller(...permissions)];
  await asha.patch('/api/v1/settings', { 'general.timezone': 'Asia/Kolkata' });
  const begin = async () => {
    const customer = { email: `${randomUUID()}@example.com` };
    const message = { body: 'Hi', direction: 'inbound' };
    return (await asha.post(url, { customer, channel: 'email', message })).body.conversation.id as string;
  };
  const answered = async (caller: typeof asha, times: Record<string, string>) => {
    const id = await begin();
    await caller.post(`${url}/${id}/messages`, { body: 'Hello' });
    await asha.post(`${url}/${id}/close`);
    await setTimes(acme, id, times);
  };
  // 23:00 on 1 March and 01:00 on 2 March in Kolkata.
  const before = { created: '2026-03-01T17:00:00Z', inbound: '2026-03-01T17:00:00Z' };
  await answered(asha, { ...before, answer: '2026-03-01T17:30:00Z', closed: '2026-03-01T18:00:00Z' });
  await answered(ravi, { ...before, answer: '2026-03-01T19:00:00Z', closed: '2026-03-01T19:30:00Z' });
  await answered(ravi, { ...before, answer: '2026-03-01T20:00:00Z', closed: '2026-04-05T00:00:00Z' });
  const { body } = await asha.get(`${url}/figures${range}`);
  const none = { sent: 0, delivered: 0, delivered_share: null };
  expect(body.totals).toEqual({
    answered: 3,
    first_answer_seconds: ((0.5 + 2 + 3) / 3) * 3_600,
    first_answer_median_seconds: 7_200,
    resolved: 2,
    resolution_seconds: ((1 + 2.5) / 2) * 3_600,
    resolution_median_seconds: ((1 + 2.5) / 2) * 3_600,
    ...none,
  });
  expect(body.days).toMatchObject([
    { day: '2026-03-01', answered: 1, first_answer_seconds: 1_800, resolved: 1 },
    { day: '2026-03-02', answered: 2, first_answer_seconds: 9_000, resolved: 1 },
  ]);
  expect(body.members).toMatchObject([
    { user_id: asha.user.id, answered: 1, resolved: 2, resolution_seconds: 6_300 },
    { user_id: ravi.user.id, answered: 2, first_answer_seconds: 9_000, resolved: 0, resolution_seconds: null },
  ]);
});

test('without anything to report there are zeros', async () => {
  const acme = await platform.tenant();
  const { body } = await acme.caller('conversations.view').get(`${url}/figures${range}`);
  expect(body).toMatchObject({ totals: { answered: 0, first_answer_seconds: null, sent: 0 }, days: [], members: [] });
});

test('messages are delivered if the provider says so, mails if the mail server took them', async () => {
  const acme = await platform.tenant();
  const asha = acme.caller(...permissions);
  const write = async (channel: string, delivery_status: string) => {
    const { conversation } = (await asha.post(url, { customer: {}, channel, message: { body: 'Hi' } })).body;
    await acme.db.run(sql`
      UPDATE conversation_messages SET delivery_status = ${delivery_status}, sent_at = '2026-03-05T10:00:00Z'
      WHERE conversation_id = ${conversation.id}`);
  };
  for (const status of ['queued', 'sent', 'delivered', 'read', 'failed', 'logged']) await write('sms', status);
  await write('email', 'sent');
  await write('email', 'failed');
  const { body } = await asha.get(`${url}/figures${range}`);
  const expected = { sent: 6, delivered: 3, delivered_share: 0.5 };
  expect(body.totals).toMatchObject(expected);
  expect(body.days).toMatchObject([{ day: '2026-03-05', ...expected }]);
  expect(body.members).toMatchObject([{ user_id: asha.user.id, ...expected }]);
  expect(body.channels).toMatchObject([
    { channel: 'email', sent: 2, delivered: 1, answered: 0 },
    { channel: 'sms', sent: 4, delivered: 2 },
  ]);
  const exported = await asha.get(`${url}/figures/export${range}&group_by=channel`);
  expect(exported.headers['content-disposition']).toContain('filename="conversations-by-channel-');
  const [names, ...rows] = parse(exported.body, { bom: true }) as string[][];
  expect([names?.[0], names?.at(-1)]).toEqual(['channel', 'delivered_share']);
  expect(rows.map((row) => [row[0], row.at(-3), row.at(-1)])).toEqual([
    ['email', '2', '0.5'],
    ['sms', '4', '0.5'],
  ]);
  const byMember = await asha.get(`${url}/figures/export${range}&group_by=member&format=json`);
  expect(Object.values(byMember.body)[0]).toMatchObject([{ user_id: asha.user.id, sent: 6 }]);
  expect(await asha.get(`${url}/figures/export${range}&group_by=mood`)).toMatchObject({ status: 422 });
});

test('the kept times are those of the messages, whatever happens', async () => {
  const acme = await platform.tenant();
  const team = [acme.caller(...permissions), acme.caller(...permissions)] as const;
  const step = fc.record({
    conversation: fc.nat(2),
    member: fc.nat(1),
    does: fc.constantFrom('inbound', 'outbound', 'note', 'close', 'reopen', 'merge'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const customer = { email: `${randomUUID()}@example.com` };
      const ids: string[] = [];
      for (const _ of [0, 1, 2])
        ids.push((await team[0].post(url, { customer, channel: 'phone' })).body.conversation.id);
      for (const { conversation, member, does } of steps) {
        const id = ids[conversation % ids.length] as string;
        const caller = team[member] as (typeof team)[0];
        if (does === 'close' || does === 'reopen') await caller.post(`${url}/${id}/${does}`);
        else if (does !== 'merge') await caller.post(`${url}/${id}/messages`, { body: 'x', direction: does });
        else if (ids.length > 1) {
          const from = ids.find((one) => one !== id) as string;
          const { status } = await caller.post(`${url}/${id}/merge`, { conversation_id: from });
          expect(status).toBe(200);
          ids.splice(ids.indexOf(from), 1);
        }
      }
      const rows = await acme.db.rows(sql`
        SELECT c.id FROM conversations c
        LEFT JOIN LATERAL (SELECT min(sent_at) AS at FROM conversation_messages m
          WHERE m.conversation_id = c.id AND direction = 'inbound') i ON true
        LEFT JOIN LATERAL (SELECT sent_at, user_id FROM conversation_messages m
          WHERE m.conversation_id = c.id AND direction = 'outbound' AND sent_at >= i.at ORDER BY sent_at LIMIT 1) a ON true
        WHERE (c.first_inbound_at, c.first_answer_at, c.first_answer_by) IS DISTINCT FROM (i.at, a.sent_at, a.user_id)
          OR (c.status = 'closed') <> (c.closed_at IS NOT NULL) OR (c.status = 'closed') <> (c.closed_by IS NOT NULL)
          OR c.message_count <> (SELECT count(*) FROM conversation_messages m WHERE m.conversation_id = c.id)`);
      expect(rows).toEqual([]);
    }),
    { numRuns: 20 },
  );
}, 60_000);

test.each([
  ['from', '?to=2026-03-01'],
  ['to', '?from=2026-03-02&to=2026-03-01'],
  ['to', '?from=2026-01-01&to=2027-03-01'],
  ['from', '?from=yesterday&to=2026-03-01'],
])('an invalid %s is rejected: %s', async (field, query) => {
  const acme = await platform.tenant();
  const { status, body } = await acme.caller('conversations.view').get(`${url}/figures${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});
