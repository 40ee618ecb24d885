import { sql } from '@chowk/kit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { type FcmMessage, fcmAnswers, startFcm } from '../../../server/testing/fcm-server.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { pushJobs } from './push.ts';

const fcm = await startFcm();
const platform = await startAccounts({ environment: fcm.environment });
const { central } = platform.kernel;
const acme = await platform.tenant();
const orders = acme.context('orders');
const notice = { type: 'order.updated', title: 'New order' };

afterEach(() => {
  fcm.answer = () => undefined;
});

type Member = Awaited<ReturnType<typeof platform.person>>;
let phones = 0;

/** A member with a device. */
async function withPhone(tenant = acme) {
  const person = await platform.person({ tenant, role: 'Viewer' });
  phones += 1;
  const token = `phone-${phones}`;
  await person.post('/api/v1/devices', { token, platform: 'android' });
  return { person, token };
}

const pushesTo = (token: string) => fcm.received.filter((message) => message.token === token);
const devices = async (person: Member) => (await person.get('/api/v1/devices')).body.devices;

/** Sends a notification to a user and then one to another, whose push shows that the first one has been dealt with. */
async function sendAndWait(tenant: TestTenant, userId: number): Promise<void> {
  const witness = await withPhone(tenant);
  const ids = [userId, witness.person.id].toSorted((one, other) => one - other);
  await tenant.context('orders').notify(ids, notice);
  await eventually(() => expect(pushesTo(witness.token)).toHaveLength(1));
}

/** Push jobs of a tenant that wait, with the seconds until they start. */
const waitingJobs = (tenant: TestTenant) =>
  central.db.rows<{ data: { message: string; attempt: number }; delay: number }>(sql`
    SELECT data->'data' AS data, round(extract(epoch FROM start_after - created_on))::integer AS delay FROM pgboss.job
    WHERE data->>'job' = 'notifications.push' AND data->>'tenant' = ${tenant.id} AND start_after > now() ORDER BY created_on`);

describe('a notification', () => {
  test('is pushed with texts only, so that a tap finds the order, the conversation or the page', async () => {
    const { person, token } = await withPhone();
    await orders.notify(person.id, { ...notice, title: 'Earlier' });
    await orders.notify(person.id, {
      ...notice,
      body: 'Paid',
      action_url: '/orders/7',
      data: { order_id: 7, conversation_id: 'c-1', from: 'x', nested: {} },
    });
    const push = await eventually(() => {
      const found = pushesTo(token).find(({ notification }) => notification.title === 'New order');
      expect(found).toBeDefined();
      return found as FcmMessage;
    });
    const [{ id }] = (await person.get('/api/v1/notifications')).body.notifications;
    expect(push).toMatchObject({
      notification: { title: 'New order', body: 'Paid' },
      android: { notification: { tag: id, notification_count: 2 } },
      apns: { headers: { 'apns-collapse-id': id }, payload: { aps: { badge: 2 } } },
    });
    expect(push.data).toEqual({
      id,
      type: 'order.updated',
      tenant_id: acme.id,
      unread_count: '2',
      action_url: '/orders/7',
      order_id: '7',
      conversation_id: 'c-1',
    });
  });

  test('is pushed in any size', async () => {
    const { person, token } = await withPhone();
    const long = { title: 'न'.repeat(255), body: '😀'.repeat(5_000), action_url: `/${'é'.repeat(1_500)}` };
    await orders.notify(person.id, { ...notice, ...long, data: { order_id: 'x'.repeat(9_000) } });
    await eventually(() => expect(pushesTo(token)).toHaveLength(1));
    expect(pushesTo(token)[0]?.notification.body).toHaveLength(599);
  });

  test('is pushed to all devices of a user and to those of no other', async () => {
    const { person, token } = await withPhone();
    const other = await withPhone();
    await person.post('/api/v1/devices', { token: `${token}-b`, platform: 'web' });
    await sendAndWait(acme, person.id);
    await eventually(() => expect([...pushesTo(token), ...pushesTo(`${token}-b`)]).toHaveLength(2));
    expect(pushesTo(other.token)).toEqual([]);
  });

  test('of a transaction that fails is not pushed', async () => {
    const { person, token } = await withPhone();
    const failing = orders.tx(async (tx) => {
      await tx.notify(person.id, notice);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await sendAndWait(acme, person.id);
    expect(pushesTo(token)).toHaveLength(1);
  });

  test('that is read before it is pushed is not pushed', async () => {
    const { person, token } = await withPhone();
    fcm.answer = (message) => (message.token === token ? fcmAnswers.unavailable : undefined);
    const tenant = await platform.tenant();
    await platform.join(person, tenant);
    await person.post('/api/v1/devices', { token, platform: 'web' }, { 'x-tenant': tenant.id });
    await tenant.context('orders').notify(person.id, notice);
    const [job] = await eventually(async () => {
      const waiting = await waitingJobs(tenant);
      expect(waiting).toHaveLength(1);
      return waiting;
    });
    await person.post('/api/v1/notifications/mark-all-read', {}, { 'x-tenant': tenant.id });
    fcm.answer = () => undefined;
    await pushJobs['notifications.push'].run(tenant.context('notifications'), job?.data);
    expect(pushesTo(token)).toEqual([]);
  });
});

describe('a device gets no more messages', () => {
  const endings: Record<string, (person: Member) => Promise<unknown>> = {
    'its user has signed out': (person) => person.post('/api/v1/auth/logout'),
    'the session has expired': ({ id }) =>
      central.db.run(sql`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = ${id}`),
    'its user has ended the session from elsewhere': ({ id }) =>
      central.db.run(sql`UPDATE sessions SET revoked_at = now() WHERE user_id = ${id}`),
  };

  test.each(Object.entries(endings))('after %s', async (_, end) => {
    const { person, token } = await withPhone();
    await end(person);
    await sendAndWait(acme, person.id);
    expect(pushesTo(token)).toEqual([]);
    expect(await acme.db.row(sql`SELECT FROM devices WHERE token = ${token}`)).toBeUndefined();
  });

  test('after its user has left the tenant, also if the message was queued before', async () => {
    const { person, token } = await withPhone();
    const leaver = await withPhone();
    await central.db.run(sql`DELETE FROM memberships WHERE user_id = ${person.id}`);
    await sendAndWait(acme, person.id);
    const recipients = [{ id: orders.newId(), user_id: leaver.person.id, is_stored: false }];
    const ctx = acme.context('notifications');
    const message = ctx.secrets.seal('message', JSON.stringify({ ...notice, body: null, action_url: null }));
    await central.db.run(sql`DELETE FROM memberships WHERE user_id = ${leaver.person.id}`);
    await pushJobs['notifications.push'].run(ctx, { message, recipients, attempt: 0 });
    expect([...pushesTo(token), ...pushesTo(leaver.token)]).toEqual([]);
  });

  test('of the first user after another one has signed in on it, even in another tenant', async () => {
    const { person, token } = await withPhone();
    const beta = await platform.tenant();
    const other = await platform.person({ tenant: beta });
    await other.post('/api/v1/devices', { token, platform: 'android' });
    await sendAndWait(acme, person.id);
    expect(pushesTo(token)).toEqual([]);
    await beta.context('orders').notify(other.id, notice);
    await eventually(() => expect(pushesTo(token)).toMatchObject([{ data: { tenant_id: beta.id } }]));
  });

  test.each(['unregistered', 'invalidToken'] as const)('after the service calls its token %s', async (answer) => {
    const { person, token } = await withPhone();
    fcm.answer = (message) => (message.token === token ? fcmAnswers[answer] : undefined);
    await orders.notify(person.id, notice);
    await eventually(async () => expect(await devices(person)).toEqual([]));
  });
});

test('a message that is refused is logged without its token, dropped, and keeps the device', async () => {
  const { person, token } = await withPhone();
  const warn = vi.spyOn(platform.kernel.log, 'warn');
  fcm.answer = (message) => (message.token === token ? fcmAnswers.senderMismatch : undefined);
  await orders.notify(person.id, notice);
  const [{ id }] = await devices(person);
  const line = [{ device: id, reason: '403 SENDER_ID_MISMATCH' }, 'a push message was refused'];
  await eventually(() => expect(warn).toHaveBeenCalledWith(...line));
  expect(JSON.stringify(warn.mock.calls)).not.toContain(token);
  expect(await devices(person)).toHaveLength(1);
});

test('messages that the service cannot accept now are retried after the requested delay, for the remaining devices only', async () => {
  const tenant = await platform.tenant();
  const [first, second] = [await withPhone(tenant), await withPhone(tenant)];
  fcm.answer = (message) => (message.token === second.token ? fcmAnswers.quota : undefined);
  await tenant.context('orders').notify('members', notice);
  const [job] = await eventually(async () => {
    const waiting = await waitingJobs(tenant);
    expect(waiting).toMatchObject([{ delay: 90, data: { attempt: 1 } }]);
    return waiting;
  });
  expect(job?.data.message).not.toContain('New order');
  fcm.answer = () => undefined;
  await pushJobs['notifications.push'].run(tenant.context('notifications'), job?.data);
  expect([pushesTo(first.token).length, pushesTo(second.token).length]).toEqual([1, 1]);
});

test('a push service that does not answer delays no broadcast', async () => {
  const { person } = await withPhone();
  const broadcast = vi.spyOn(platform.kernel.realtime, 'broadcast');
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  fcm.answer = () => released;
  // More than the workers of a queue.
  for (let index = 0; index < 6; index += 1) await orders.notify(person.id, notice);
  const sent = () => broadcast.mock.calls.filter(([{ channel }]) => channel === `private-user.${person.id}`);
  await eventually(() => expect(sent()).toHaveLength(6));
  release(undefined);
});

test('a message is given up after five attempts', async () => {
  const tenant = await platform.tenant();
  const { person, token } = await withPhone(tenant);
  fcm.answer = () => fcmAnswers.unavailable;
  await tenant.context('orders').notify(person.id, notice);
  let last: { attempt: number; message: string } | undefined;
  // The first attempt is a job too until it is done.
  const findLast = (attempt: number) =>
    eventually(async () => {
      const jobs = await waitingJobs(tenant);
      expect(jobs).toHaveLength(attempt);
      last = jobs.at(-1)?.data;
      expect(last?.attempt).toBe(attempt);
    });
  await findLast(1);
  for (const attempt of [1, 2, 3, 4]) {
    await pushJobs['notifications.push'].run(tenant.context('notifications'), last);
    await findLast(Math.min(attempt + 1, 4));
  }
  expect(pushesTo(token)).toEqual([]);
});

test('hundreds of members get a message each, ten at a time for each job', async () => {
  const tenant = await platform.tenant();
  const tokens = await membersWithPhones(tenant, 250);
  fcm.mostAtOnce = 0;
  await tenant.context('orders').notify('members', notice);
  const received = () => new Set(fcm.received.map(({ token }) => token)).intersection(tokens);
  await eventually(() => expect(received().size).toBe(250));
  expect(fcm.mostAtOnce).toBeLessThanOrEqual(4 * 10);
});

/** Members with sessions and devices, written at once. Returns the tokens. */
async function membersWithPhones(tenant: TestTenant, count: number): Promise<Set<string>> {
  const rows = await central.db.rows<{ id: number; session: string; token: string }>(sql`
    WITH people AS (
      INSERT INTO users (name, email, email_verified_at)
      SELECT 'Member', ${tenant.id} || n || '@example.com', now() FROM generate_series(1, ${count}) AS n RETURNING id),
    members AS (
      INSERT INTO memberships (user_id, tenant_id, role_id)
      SELECT id, ${tenant.id}, (SELECT id FROM roles WHERE name = 'Viewer' AND tenant_id IS NULL) FROM people),
    opened AS (
      INSERT INTO sessions (id, user_id, kind, client_id)
      SELECT gen_random_uuid(), id, 'login', 'chowk-console' FROM people RETURNING id, user_id),
    tokens AS (
      INSERT INTO device_tokens (hash, session_id) SELECT sha256(convert_to('many-' || user_id, 'UTF8')), id FROM opened)
    SELECT user_id AS id, id AS session, 'many-' || user_id AS token FROM opened`);
  await tenant.db.run(sql`
    INSERT INTO devices (id, user_id, session_id, token, platform, created_at, updated_at)
    SELECT gen_random_uuid(), u, s, t, 'android', now(), now()
    FROM unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ session }) => session)}::uuid[],
      ${rows.map(({ token }) => token)}::text[]) AS d (u, s, t)`);
  return new Set(rows.map(({ token }) => token));
}

test('without a push service nothing is queued', async () => {
  const plain = await startAccounts();
  const tenant = await plain.tenant();
  const person = await plain.person({ tenant });
  await person.post('/api/v1/devices', { token: 'quiet', platform: 'ios' });
  await tenant.context('orders').notify(person.id, notice);
  const queued = await plain.kernel.central.db.rows(
    sql`SELECT FROM pgboss.job WHERE data->>'job' = 'notifications.push'`,
  );
  expect(queued).toEqual([]);
});
