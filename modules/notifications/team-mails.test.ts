import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { groupJobs } from './notify.ts';
import { digestJobs } from './preferences/digest.ts';

const mails: Email[] = [];
const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  async onData(stream, _session, done) {
    mails.push(await PostalMime.parse(Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))));
    done();
  },
});
smtp.listen(0, '127.0.0.1');
await once(smtp.server, 'listening');
afterAll(() => new Promise<void>((closed) => smtp.close(closed)));

const { port } = smtp.server.address() as AddressInfo;
const environment = { MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Chowk <no-reply@chowk.example>' };
const platform = await startAccounts({ environment });

const url = '/api/v1/notifications';
const items = [{ name: 'Tea', quantity: 1, price: '10.00' }];
const order = { customer: { phone: '+919876543210', first_name: 'Meera', last_name: 'Nair' }, items };
const mailsTo = ({ email }: Person) => mails.filter(({ to }) => to?.[0]?.address === email);

async function team(email: 'digest' | 'immediate') {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const types = [{ type: 'order.created', email }];
  expect((await owner.patch(`${url}/preferences`, { types })).status).toBe(200);
  const place = async (count: number) => {
    for (let placed = 0; placed < count; placed += 1) await owner.post('/api/v1/orders', order);
  };
  const shown = (title: RegExp | string) =>
    eventually(async () =>
      expect((await owner.get(url)).body.notifications).toMatchObject([{ title: expect.stringMatching(title) }]),
    );
  return { tenant, owner, place, shown };
}

test('a digest has the new orders of the day in one line', async () => {
  const { tenant, owner, place, shown } = await team('digest');
  await place(3);
  await shown('3 new orders');
  const digest = { users: [owner.id], digest_hour: 8, time_zone: null };
  await digestJobs['notifications.digest'].run(tenant.context('notifications'), digest);
  await eventually(() => expect(mailsTo(owner)).toHaveLength(1));
  const [mail] = mailsTo(owner);
  expect(mail).toMatchObject({
    subject: 'You have an unread notification',
    text: expect.stringContaining('3 new orders'),
  });
  expect(mail?.text).not.toContain('3 times');
});

test('the first order is mailed at once, and the next ones together five minutes later', async () => {
  const { tenant, owner, place, shown } = await team('immediate');
  await place(1);
  const first = /^New order \d+ from Meera Nair: INR 10.00$/;
  await eventually(() => expect(mailsTo(owner)).toMatchObject([{ subject: expect.stringMatching(first) }]));
  await place(2);
  await shown('3 new orders');
  const [group] = await tenant.db.rows<{ id: string; wait: number }>(sql`
    SELECT id, extract(epoch FROM due_at - sent_at)::integer AS wait FROM notification_groups
    WHERE lane = 'alerts' AND waiting = 2`);
  expect(group?.wait).toBe(300);
  expect(mailsTo(owner)).toHaveLength(1);
  await groupJobs['notifications.alert_group'].run(tenant.context('notifications'), { id: group?.id });
  await eventually(() => expect(mailsTo(owner)).toMatchObject([{}, { subject: '2 new orders' }]));
});

test('orders that were seen in the console are not mailed later', async () => {
  const { tenant, owner, place, shown } = await team('immediate');
  await place(1);
  await eventually(() => expect(mailsTo(owner)).toHaveLength(1));
  await place(1);
  await shown('2 new orders');
  await owner.post(`${url}/mark-all-read`);
  const [group] = await tenant.db.rows<{ id: string }>(sql`
    SELECT id FROM notification_groups WHERE lane = 'alerts' AND waiting = 1`);
  await groupJobs['notifications.alert_group'].run(tenant.context('notifications'), { id: group?.id });
  const queued = await platform.kernel.central.db.rows(sql`
    SELECT FROM pgboss.job WHERE data->>'job' = 'notifications.mail' AND data->>'tenant' = ${tenant.id}
      AND state IN ('created', 'active')`);
  expect(queued).toEqual([]);
  expect(mailsTo(owner)).toHaveLength(1);
});
