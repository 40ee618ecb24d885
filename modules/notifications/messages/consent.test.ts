import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from '@chowk/kit';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';

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

async function shop(accepts_marketing: boolean) {
  const tenant = await platform.tenant({ name: 'Chai & Co' });
  const owner = await platform.person({ tenant });
  const email = `${tenant.id}@example.com`;
  const created = await owner.post('/api/v1/customers', { first_name: 'Meera', email, accepts_marketing });
  const { id } = created.body.customer;
  const ctx = tenant.context('notifications');
  const send = (purpose: 'transactional' | 'marketing') =>
    ctx.bus.call('notifications.sendEmail', {
      to: email,
      subject: `${purpose} mail`,
      body: 'Tea',
      customer_id: id,
      purpose,
    });
  const mail = (subject: string) =>
    eventually(() => {
      const found = mails.find(({ to, subject: own }) => to?.[0]?.address === email && own === subject);
      if (!found) throw new Error(`no mail ${subject}`);
      return found;
    });
  const read = async () => (await owner.get(`/api/v1/customers/${id}`)).body.customer;
  return { tenant, owner, email, id, ctx, send, mail, read };
}

const header = (mail: Email, name: string) => mail.headers.find(({ key }) => key === name)?.value;
const page = (host: string, method: 'GET' | 'POST', url: string) =>
  platform.request({
    method,
    url,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' && { payload: 'List-Unsubscribe=One-Click' }),
  });

test('a marketing mail has a link, with which one click without signing in ends such mails', async () => {
  const { owner, id, send, mail, read } = await shop(true);
  await send('marketing');
  const sent = await mail('marketing mail');
  expect(header(sent, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  const link = new URL(String(header(sent, 'list-unsubscribe')).slice(1, -1));
  expect(sent.text).toContain(link.href);
  expect(sent.html).toContain(link.href);

  const question = await page(link.host, 'GET', link.pathname);
  expect({ status: question.status, text: question.body }).toMatchObject({
    status: 200,
    text: expect.stringContaining('<form method="post">'),
  });
  expect((await read()).accepts_marketing).toBe(true);
  for (let clicks = 0; clicks < 2; clicks += 1) {
    expect((await page(link.host, 'POST', link.pathname)).status).toBe(200);
  }
  expect(await read()).toMatchObject({
    accepts_marketing: false,
    consents: [
      { accepts_marketing: false, source: 'unsubscribe_link', user_id: null },
      { accepts_marketing: true, source: 'creation', user_id: owner.id },
    ],
  });
  const exported = (await owner.get(`/api/v1/customers/${id}/export`)).body;
  expect(JSON.stringify(exported)).toContain('unsubscribe_link');

  expect(await send('marketing')).toMatchObject({ skipped: 'The customer does not accept marketing messages.' });
  await send('transactional');
  expect(header(await mail('transactional mail'), 'list-unsubscribe')).toBeUndefined();
  expect(mails.filter(({ subject }) => subject === 'marketing mail')).toHaveLength(1);
});

test('a link of another shop, or a damaged one, changes nothing', async () => {
  const { tenant, send, mail, read } = await shop(true);
  const other = await platform.tenant();
  await send('marketing');
  const link = new URL(String(header(await mail('marketing mail'), 'list-unsubscribe')).slice(1, -1));
  const elsewhere = link.host.replace(tenant.id, other.id);
  expect((await page(elsewhere, 'POST', link.pathname)).status).toBe(404);
  expect((await page(link.host, 'POST', `${link.pathname.slice(0, -4)}AAAA`)).status).toBe(404);
  expect((await page(link.host, 'GET', '/api/v1/unsubscribe/x')).status).toBe(404);
  expect((await read()).accepts_marketing).toBe(true);
});

test('a rule for marketing skips customers who do not accept it', async () => {
  const { tenant, owner, email, id } = await shop(false);
  const rule = {
    event: 'order.created',
    channel: 'email',
    template: { subject: 'Offer', body: 'Tea' },
    purpose: 'marketing',
  };
  const { body } = await owner.post('/api/v1/notification-rules', rule);
  expect(body.rule).toMatchObject({ purpose: 'marketing' });
  const items = [{ name: 'Tea', quantity: 1, price: '10.00' }];
  const order = () => owner.post('/api/v1/orders', { customer: { email }, items });
  const deliveries = async () =>
    (await owner.get(`/api/v1/notification-rules/${body.rule.id}/deliveries`)).body.deliveries;
  await order();
  const reason = 'The customer does not accept marketing messages.';
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'skipped', reason }]));
  await owner.patch(`/api/v1/customers/${id}`, { accepts_marketing: true });
  await order();
  await eventually(async () => expect(await deliveries()).toMatchObject([{ status: 'sent' }, { status: 'skipped' }]));
  expect(await tenant.db.rows(sql`SELECT FROM messages WHERE purpose = 'marketing'`)).toHaveLength(2);
  const inApp = { ...rule, channel: 'in_app', recipient: { role: 'Owner' } };
  expect(await owner.post('/api/v1/notification-rules', inApp)).toMatchObject({
    status: 422,
    body: { errors: { purpose: ['Marketing messages go to customers.'] } },
  });
});

test('a message that waits is not sent after consent was withdrawn', async () => {
  const { tenant, ctx, owner, id, send } = await shop(true);
  let message = '';
  await ctx.tx(async (tx) => {
    const input = { to: 'a@example.com', subject: 'Late', body: 'Tea', customer_id: id, purpose: 'marketing' } as const;
    message = (await tx.bus.call('notifications.sendEmail', input)).id;
    await tx.db.run(sql`UPDATE customers SET accepts_marketing = false WHERE id = ${id}`);
  });
  await eventually(async () =>
    expect(await tenant.db.row(sql`SELECT status FROM messages WHERE id = ${message}`)).toEqual({ status: 'skipped' }),
  );
  await owner.patch(`/api/v1/customers/${id}`, { accepts_marketing: true });
  expect(await send('marketing')).toMatchObject({ skipped: null });
});
