import { sql } from '@chowk/kit';
import { describe, expect, test, vi } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { startFcm } from '../../../server/testing/fcm-server.ts';
import { repositoryModules } from '../../../server/testing/repository-modules.ts';
import { testModule } from '../../../server/testing/test-module.ts';
import { digestJobs } from './digest.ts';
import { mailJobs } from './mail.ts';

const kiosk = testModule({
  alias: 'kiosk',
  notifications: {
    'kiosk.sold': { description: 'Something was sold' },
    'kiosk.burgled': { description: 'Somebody has broken in', critical: true },
  },
});
const fcm = await startFcm();
/** Noon in New York. */
let now = Date.parse('2026-07-01T16:00:00Z');
const platform = await startAccounts({
  environment: fcm.environment,
  modules: [...(await repositoryModules()), kiosk],
  now: () => new Date(now),
});
const { kernel } = platform;
const acme = await platform.tenant();
const sender = acme.context('kiosk');
const url = '/api/v1/notifications/preferences';
const sold = { type: 'kiosk.sold', title: 'Sold' };
const burglary = { type: 'kiosk.burgled', title: 'Burgled' };
const night = { quiet_hours: { from: '22:00', to: '07:00' }, time_zone: 'America/New_York' };
/** An hour after midnight in New York. */
const atNight = Date.parse('2026-07-01T05:00:00Z');

type Member = Awaited<ReturnType<typeof platform.person>>;
let phones = 0;

/** A member with preferences and a phone. */
async function member(preferences: object = {}) {
  const person = await platform.person({ tenant: acme, role: 'Viewer' });
  phones += 1;
  const token = `phone-${phones}`;
  await person.post('/api/v1/devices', { token, platform: 'ios' });
  expect((await person.patch(url, preferences)).status).toBe(200);
  const pushes = () => fcm.received.filter((message) => message.token === token).map((one) => one.notification.title);
  return { person, pushes };
}

const titles = async (person: Member) =>
  (await person.get('/api/v1/notifications')).body.notifications.map(({ title }: { title: string }) => title);
const mailsTo = async ({ email }: Member) =>
  (await kernel.services.mail.listStored()).filter(({ to }) => to === email).map(({ subject }) => subject);

interface Delayed {
  readonly data: never;
  readonly delay: number;
}

/** The jobs for a user that start later, with the seconds until then. */
const delayedJobs = (name: string, person: Member) =>
  kernel.central.db.rows<Delayed>(sql`
    SELECT data->'data' AS data, round(extract(epoch FROM start_after - created_on))::integer AS delay FROM pgboss.job
    WHERE data->>'job' = ${name} AND start_after > now() AND (data->'data'->'users' @> to_jsonb(${person.id}::bigint)
      OR data->'data'->'recipients' @> jsonb_build_array(jsonb_build_object('user_id', ${person.id}::bigint)))
    ORDER BY created_on`);

/** The time from which a delay counts is a moment before the job is queued. */
const expectHours = (delay: number, hours: number) => expect(Math.abs(delay - hours * 3_600)).toBeLessThan(60);

async function delayedJob(name: string, person: Member): Promise<Delayed> {
  return eventually(async () => {
    const jobs = await delayedJobs(name, person);
    expect(jobs).toHaveLength(1);
    return jobs[0] as Delayed;
  });
}

describe('preferences', () => {
  test('list all declared types with the channels that apply', async () => {
    const person = await platform.person({ tenant: acme });
    const { status, body } = await person.get(url);
    const standard = { in_app: true, push: true, email: 'off' };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        preferences: {
          defaults: standard,
          quiet_hours: null,
          time_zone: 'Asia/Kolkata',
          digest_hour: 8,
          types: expect.arrayContaining([
            {
              type: 'conversation.assigned',
              module: 'conversations',
              critical: false,
              ...standard,
              description: 'A conversation was assigned to you',
            },
            {
              type: 'kiosk.burgled',
              module: 'kiosk',
              description: 'Somebody has broken in',
              critical: true,
              in_app: true,
              push: true,
              email: 'immediate',
            },
          ]),
        },
      },
    });
  });

  test('change by channel and type, and null restores a default', async () => {
    const person = await platform.person({ tenant: acme });
    const change = async (body: object) => (await person.patch(url, body)).body.preferences;
    const findType = ({ types }: { types: { type: string }[] }, name: string) =>
      types.find(({ type }) => type === name);
    await change({
      defaults: { push: false },
      types: [
        { type: 'kiosk.sold', email: 'digest' },
        { type: 'x.y', in_app: false },
      ],
    });
    const changed = await change({ types: [{ type: 'kiosk.sold', push: true }], digest_hour: 18, ...night });
    expect(changed).toMatchObject({ defaults: { in_app: true, push: false, email: 'off' }, digest_hour: 18, ...night });
    expect(findType(changed, 'kiosk.sold')).toMatchObject({ in_app: true, push: true, email: 'digest' });
    expect(findType(changed, 'x.y')).toMatchObject({ in_app: false, push: false, module: null, description: null });
    expect((await person.get(url)).body.preferences).toEqual(changed);
    const restored = await change({
      defaults: { push: null },
      quiet_hours: null,
      time_zone: null,
      types: [
        { type: 'kiosk.sold', push: null, email: null },
        { type: 'x.y', in_app: null },
      ],
    });
    expect(restored).toMatchObject({ defaults: { push: true }, quiet_hours: null, time_zone: 'Asia/Kolkata' });
    expect(findType(restored, 'kiosk.sold')).toMatchObject({ push: true, email: 'off' });
    expect(findType(restored, 'x.y')).toBeUndefined();
  });

  test('are those of one user in one tenant', async () => {
    const [asha, ravi] = [await platform.person({ tenant: acme }), await platform.person({ tenant: acme })];
    const beta = await platform.tenant();
    await platform.join(asha, beta);
    await asha.patch(url, { digest_hour: 3 });
    const hours = [await asha.get(url), await ravi.get(url), await asha.get(url, { 'x-tenant': beta.id })];
    expect(hours.map(({ body }) => body.preferences.digest_hour)).toEqual([3, 8, 8]);
    const stranger = await platform.person({ tenant: beta });
    expect((await stranger.get(url, { 'x-tenant': acme.id })).status).toBe(403);
    expect((await stranger.patch(url, {}, { 'x-tenant': acme.id })).status).toBe(403);
  });

  test('use the time zone of the profile unless they have their own', async () => {
    const person = await platform.person({ tenant: acme });
    await person.patch('/api/v1/profile', { timezone: 'Europe/Berlin' });
    expect((await person.get(url)).body.preferences.time_zone).toBe('Europe/Berlin');
  });

  test('leave out types of modules that the tenant does not have', async () => {
    const beta = await platform.tenant();
    const person = await platform.person({ tenant: beta });
    await kernel.installations.set(beta.id, 'kiosk', 'disabled');
    const { types } = (await person.get(url)).body.preferences;
    expect(types.map(({ module }: { module: string }) => module)).not.toContain('kiosk');
  });

  test.each([
    [{ types: [{ type: 'kiosk.sold' }, { type: 'kiosk.burgled', push: false }] }, 'types.1.type'],
    [{ types: [{ type: 'not dotted' }] }, 'types.0.type'],
    [{ types: [{ type: 'x.y', email: 'weekly' }] }, 'types.0.email'],
    [{ defaults: { push: 'no' } }, 'defaults.push'],
    [{ quiet_hours: { from: '22:00', to: '22:00' } }, 'quiet_hours.to'],
    [{ quiet_hours: { from: '24:00', to: '07:00' } }, 'quiet_hours.from'],
    [{ quiet_hours: { from: '22:00' } }, 'quiet_hours.to'],
    [{ time_zone: 'Mars/Base' }, 'time_zone'],
    [{ digest_hour: 24 }, 'digest_hour'],
  ])('%j is refused', async (body, field) => {
    const person = await platform.person({ tenant: acme });
    expect(await person.patch(url, body)).toMatchObject({
      status: 422,
      body: { errors: { [field]: expect.anything() } },
    });
  });

  test('are read and changed over GraphQL', async () => {
    const person = await platform.person({ tenant: acme });
    const run = async (query: string) => (await person.post('/api/v1/graphql', { query })).body.data;
    const fields = '{ digest_hour defaults { email } }';
    expect(
      await run(
        `mutation { updateNotificationPreferences(input: { digest_hour: 9, defaults: { email: digest } }) ${fields} }`,
      ),
    ).toEqual({ updateNotificationPreferences: { digest_hour: 9, defaults: { email: 'digest' } } });
    expect(await run(`{ notificationPreferences ${fields} }`)).toMatchObject({
      notificationPreferences: { digest_hour: 9 },
    });
  });
});

describe('a channel that is off', () => {
  test('in the console: the notification is neither stored nor broadcast, but pushed', async () => {
    const broadcast = vi.spyOn(kernel.realtime, 'broadcast');
    const { person, pushes } = await member({ types: [{ type: 'kiosk.sold', in_app: false }] });
    await sender.notify(person.id, sold);
    await eventually(() => expect(pushes()).toEqual(['Sold']));
    expect(await titles(person)).toEqual([]);
    await sender.notify(person.id, { type: 'other.type', title: 'Other' });
    const sent = () =>
      broadcast.mock.calls.map(([one]) => one).filter(({ channel }) => channel.endsWith(`.${person.id}`));
    await eventually(() => expect(sent()).toMatchObject([{ data: { title: 'Other' } }]));
  });

  test('for push: the notification is stored and not pushed', async () => {
    const { person, pushes } = await member({ defaults: { push: false }, types: [{ type: 'other.type', push: true }] });
    await sender.notify(person.id, sold);
    await sender.notify(person.id, { type: 'other.type', title: 'Other' });
    await eventually(() => expect(pushes()).toEqual(['Other']));
    expect(await titles(person)).toEqual(['Other', 'Sold']);
  });

  test('does not hold back what is critical', async () => {
    now = atNight;
    const off = { in_app: false, push: false, email: 'off' };
    const { person, pushes } = await member({ defaults: off, ...night });
    await sender.notify(person.id, burglary);
    await sender.notify(person.id, sold);
    await eventually(() => expect(pushes()).toEqual(['Burgled']));
    await eventually(async () => expect(await mailsTo(person)).toEqual(['Burgled']));
    expect(await titles(person)).toEqual(['Burgled']);
  });
});

describe('a mail', () => {
  const immediate = { defaults: { email: 'immediate' } };

  test('has the text of the notification and a link to its page', async () => {
    now = atNight;
    const { person } = await member(immediate);
    const body = 'Two bottles\n\nto <b>Asha</b>';
    await sender.notify(person.id, { ...sold, body, action_url: '/orders/7', action_label: 'Open the order' });
    const { text, html } = await platform.mailTo(person.email, /^Sold$/);
    const { port } = new URL(kernel.config.appUrl);
    expect(text).toContain(`Open the order:\nhttp://${acme.id}.localhost:${port}/orders/7`);
    expect(text).toContain('Two bottles\n\nto <b>Asha</b>');
    expect(html).not.toContain('<b>Asha');
  });

  test('is sent to verified addresses only', async () => {
    const [asha, ravi] = [
      await platform.person({ tenant: acme, verified: false }),
      await platform.person({ tenant: acme }),
    ];
    for (const person of [asha, ravi]) await person.patch(url, immediate);
    await sender.notify([asha.id, ravi.id], sold);
    await platform.mailTo(ravi.email);
    expect(await mailsTo(asha)).toEqual([]);
  });

  test('waits for the end of the quiet hours, while nothing is pushed and the notification is stored', async () => {
    now = atNight;
    const { person, pushes } = await member({ ...immediate, ...night });
    await sender.notify(person.id, sold);
    const { delay, data } = await delayedJob('notifications.mail', person);
    expectHours(delay, 6);
    expect(await titles(person)).toEqual(['Sold']);
    expect(JSON.stringify(data)).not.toContain('Sold');
    now = Date.parse('2026-07-01T11:00:00Z');
    await sender.notify(person.id, { ...sold, title: 'By day' });
    await eventually(() => expect(pushes()).toEqual(['By day']));
    const run = () => mailJobs['notifications.mail'].run(acme.context('notifications'), data);
    await Promise.all([run(), run()]);
    await run();
    await eventually(async () => expect((await mailsTo(person)).toSorted()).toEqual(['By day', 'Sold']));
  });

  test('is not sent if the notification was read in the quiet hours', async () => {
    now = atNight;
    const { person } = await member({ ...immediate, ...night });
    await sender.notify(person.id, sold);
    const { data } = await delayedJob('notifications.mail', person);
    await person.post('/api/v1/notifications/mark-all-read');
    await mailJobs['notifications.mail'].run(acme.context('notifications'), data);
    now = Date.parse('2026-07-01T16:00:00Z');
    await sender.notify(person.id, { ...sold, title: 'Later' });
    await platform.mailTo(person.email, /Later/);
    expect(await mailsTo(person)).toEqual(['Later']);
  });
});

describe('a digest', () => {
  const daily = { defaults: { email: 'digest' }, time_zone: 'America/New_York', digest_hour: 18 };
  const run = (data: unknown) => digestJobs['notifications.digest'].run(acme.context('notifications'), data);

  test('lists the unread notifications once a day', async () => {
    now = Date.parse('2026-07-01T16:00:00Z');
    const { person } = await member({ ...daily, types: [{ type: 'other.type', email: 'off' }] });
    for (const title of ['First', 'Read', 'Second']) await sender.notify(person.id, { ...sold, title });
    await sender.notify(person.id, { type: 'other.type', title: 'Other' });
    const [, , read] = (await person.get('/api/v1/notifications?per_page=3')).body.notifications;
    await person.patch(`/api/v1/notifications/${read.id}/read`);
    const { delay, data } = await delayedJob('notifications.digest', person);
    expectHours(delay, 6);
    await run(data);
    const { text } = await platform.mailTo(person.email);
    expect(text).toContain('Second\n\nFirst\n\nOpen your notifications:');
    expect(await mailsTo(person)).toEqual(['You have 2 unread notifications']);

    now = Date.parse('2026-07-01T22:00:01Z');
    await sender.notify(person.id, { ...sold, title: 'Third' });
    const next = await eventually(async () => {
      const jobs = await delayedJobs('notifications.digest', person);
      expect(jobs).toHaveLength(2);
      return jobs[1] as Delayed;
    });
    expectHours(next.delay, 24);
    await run(next.data);
    await platform.mailTo(person.email, /an unread notification/);
    expect(await mailsTo(person)).toHaveLength(2);
  });

  test('is sent once if its job runs several times, also at the same time', async () => {
    const { person } = await member({ defaults: { email: 'digest' } });
    await sender.notify(person.id, sold);
    const { data } = await delayedJob('notifications.digest', person);
    await Promise.all([run(data), run(data), run(data)]);
    await run(data);
    await platform.mailTo(person.email);
    expect(await mailsTo(person)).toHaveLength(1);
  });

  test('is sent once if its job dies in the middle and is repeated', async () => {
    const { person } = await member(daily);
    await sender.notify(person.id, sold);
    const { data } = await delayedJob('notifications.digest', person);
    const spy = vi.spyOn(kernel.mailer, 'createTask').mockImplementationOnce(() => {
      throw new Error('killed');
    });
    await expect(run(data)).rejects.toThrow('killed');
    spy.mockRestore();
    await run(data);
    await platform.mailTo(person.email);
    expect(await mailsTo(person)).toHaveLength(1);
  });

  test('is sent once if the process dies after the commit, before the mail reaches its queue', async () => {
    const { person } = await member(daily);
    await sender.notify(person.id, sold);
    const { data } = await delayedJob('notifications.digest', person);
    const move = vi.spyOn(kernel.deliveries, 'moveJobs').mockRejectedValueOnce(new Error('killed'));
    await run(data);
    await eventually(() => expect(move).toHaveBeenCalled());
    move.mockRestore();
    await run(data);
    await kernel.deliveries.sweep();
    await platform.mailTo(person.email);
    expect(await mailsTo(person)).toHaveLength(1);
  });

  test('has no mail if everything is read', async () => {
    const { person } = await member(daily);
    await sender.notify(person.id, sold);
    const { data } = await delayedJob('notifications.digest', person);
    await person.post('/api/v1/notifications/mark-all-read');
    await run(data);
    const queued = await acme.db.rows(sql`SELECT FROM notification_digest_items WHERE user_id = ${person.id}`);
    expect(queued).toEqual([]);
    await sender.notify(person.id, burglary);
    await platform.mailTo(person.email, /Burgled/);
    expect(await mailsTo(person)).toEqual(['Burgled']);
  });

  test('moves to another hour, and is then not sent at the old one', async () => {
    now = Date.parse('2026-07-01T16:00:00Z');
    const { person } = await member(daily);
    await sender.notify(person.id, sold);
    const old = await delayedJob('notifications.digest', person);
    await person.patch(url, { digest_hour: 20 });
    const next = await eventually(async () => {
      const jobs = await delayedJobs('notifications.digest', person);
      expect(jobs).toHaveLength(2);
      return jobs[1] as Delayed;
    });
    expectHours(next.delay, 8);
    await run(old.data);
    await run(next.data);
    await platform.mailTo(person.email);
    expect(await mailsTo(person)).toHaveLength(1);
  });

  test('includes what is committed while an earlier one is sent', async () => {
    const { person } = await member(daily);
    await sender.notify(person.id, sold);
    const { data } = await delayedJob('notifications.digest', person);
    await sender.tx(async (tx) => {
      await tx.notify(person.id, { ...sold, title: 'Late' });
      await run(data);
    });
    await platform.mailTo(person.email);
    await run(data);
    await eventually(async () => expect(await mailsTo(person)).toHaveLength(2));
  });
});

test('a thousand members are notified as each of them prefers, with few jobs', async () => {
  const beta = await platform.tenant();
  const members = await kernel.central.db.rows<{ id: number }>(sql`
    WITH people AS (
      INSERT INTO users (name, email) SELECT 'Member', ${beta.id} || n || '@example.com' FROM generate_series(1, 1000) AS n
      RETURNING id)
    INSERT INTO memberships (user_id, tenant_id, role_id)
    SELECT id, ${beta.id}, (SELECT id FROM roles WHERE name = 'Viewer' AND tenant_id IS NULL) FROM people
    RETURNING user_id AS id`);
  await beta.db.run(sql`
    INSERT INTO notification_preferences (user_id, defaults, created_at, updated_at)
    SELECT id, CASE WHEN id % 2 = 0 THEN '{"in_app": false}'::jsonb ELSE '{"email": "digest"}' END, now(), now()
    FROM unnest(${members.map(({ id }) => id)}::bigint[]) AS id`);
  await beta.context('kiosk').tx(async (tx) => {
    await tx.notify('members', sold);
    const jobs = await tx.db.rows(sql`
      SELECT task->>'job' AS job, count(*)::integer FROM added_jobs GROUP BY 1 ORDER BY 1`);
    expect(jobs).toEqual([
      { job: 'notifications.broadcast', count: 1 },
      { job: 'notifications.digest', count: 5 },
    ]);
  });
  const stored = await beta.db.row(sql`SELECT count(*)::integer, bool_and(user_id % 2 = 1) AS odd FROM notifications`);
  expect(stored).toEqual({ count: 500, odd: true });
});
