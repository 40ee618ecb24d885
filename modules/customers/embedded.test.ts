import { afterCommit, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { buildOrder } from '../../server/testing/shop-module.ts';
import { testModule } from '../../server/testing/test-module.ts';

/* Orders and conversations show their customer. */

/** Nothing delivers its events here: they wait in the tenant's database. */
const later = testModule({ alias: 'later', listeners: [afterCommit('*', 'wait', async () => {})] });
const platform = await startPlatform({ modules: [...(await repositoryModules()), later] });
const acme = await platform.tenant();
const merchant = acme.caller(
  ...['view', 'create', 'edit', 'delete', 'merge', 'view_sensitive'].map((verb) => `customers.${verb}`),
  'orders.view',
  'orders.create',
  'conversations.view',
  'conversations.reply',
  'conversations.edit',
);

let sequence = 0;

async function someone() {
  sequence += 1;
  const secret = `Zanzibar${sequence}`;
  const { body } = await merchant.post('/api/v1/customers', { first_name: secret, email: `${secret}@example.com` });
  const { id } = body.customer;
  const details = { shipping_address: { city: secret }, note: secret };
  const ordered = await merchant.post('/api/v1/orders', buildOrder({ id }, '5.00', details));
  const message = { body: secret };
  const asked = await merchant.post('/api/v1/conversations', {
    customer: { id },
    channel: 'email',
    subject: secret,
    message,
  });
  return {
    id: id as string,
    secret,
    order: `/api/v1/orders/${ordered.body.order.id}`,
    conversation: `/api/v1/conversations/${asked.body.conversation.id}`,
  };
}

type Someone = Awaited<ReturnType<typeof someone>>;

async function readBoth({ order, conversation }: Someone) {
  const both = await Promise.all([order, conversation].map((url) => merchant.get(url)));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  return both.map(({ headers, body }, index) => ({
    url: [order, conversation][index] as string,
    etag: headers.etag as string,
    updatedAt: (body.order ?? body.conversation).updated_at as string,
  }));
}

async function eventsSince(seq: number) {
  return acme.db.rows<{ name: string; payload: Record<string, { id: string }> }>(sql`
    SELECT name, payload FROM event_deliveries WHERE seq > ${seq} AND listener = 'later/wait' ORDER BY seq`);
}

const lastSeq = async () =>
  (await acme.db.row<{ seq: number }>(sql`SELECT coalesce(max(seq), 0) AS seq FROM event_deliveries`))?.seq ?? 0;

const changes: Readonly<Record<string, (someone: Someone) => Promise<{ status: number }>>> = {
  renaming: ({ id }) => merchant.patch(`/api/v1/customers/${id}`, { first_name: 'Asha' }),
  merging: async ({ id }) =>
    merchant.post('/api/v1/customers/merge', { primary_id: (await someone()).id, secondary_id: id }),
  anonymizing: ({ id }) => merchant.delete(`/api/v1/customers/${id}?mode=anonymize`),
};

test.each(Object.entries(changes))('%s a customer changes the ETag of what shows it', async (_, change) => {
  const asha = await someone();
  const before = await readBoth(asha);
  for (const { url, etag } of before) expect((await merchant.get(url, { 'if-none-match': etag })).status).toBe(304);
  expect((await change(asha)).status).toBe(200);
  for (const { url, etag } of before) expect((await merchant.get(url, { 'if-none-match': etag })).status).toBe(200);
});

test('renaming a customer does not make an edit of its conversation late', async () => {
  const asha = await someone();
  const { url, etag } = (await readBoth(asha))[1] as { url: string; etag: string };
  await changes.renaming?.(asha);
  expect((await merchant.patch(url, { subject: 'Parcel' }, { 'if-match': etag })).status).toBe(200);
  expect((await merchant.patch(url, { subject: 'Other' }, { 'if-match': etag })).status).toBe(412);
});

test.each(['merging', 'anonymizing'])(
  '%s a customer changes the updated_at of its rows and emits their events',
  async (name) => {
    const asha = await someone();
    const before = await readBoth(asha);
    const seq = await lastSeq();
    await changes[name]?.(asha);
    const after = await readBoth(asha);
    for (const [index, { updatedAt }] of before.entries())
      expect(String(after[index]?.updatedAt) > updatedAt).toBe(true);
    const changed = (await eventsSince(seq)).filter(({ payload }) =>
      [payload.order, payload.conversation].some(
        (record) => record && [asha.order, asha.conversation].some((url) => url.endsWith(record.id)),
      ),
    );
    expect(changed.map((event) => event.name).sort()).toEqual(['conversation.updated', 'order.updated']);
    if (name === 'anonymizing') expect(JSON.stringify(changed)).not.toContain(asha.secret);
  },
);

test('deleting a customer with all data announces what is deleted, without personal data', async () => {
  const asha = await someone();
  const seq = await lastSeq();
  expect((await merchant.delete(`/api/v1/customers/${asha.id}?mode=hard`)).status).toBe(200);
  const emitted = await eventsSince(seq);
  expect(emitted.map(({ name }) => name)).toEqual([
    'customer.erasing',
    'conversation.deleted',
    'order.deleted',
    'customer.deleted',
  ]);
  expect(asha.order.endsWith(String(emitted[2]?.payload.order?.id))).toBe(true);
  expect(JSON.stringify(emitted)).not.toContain(asha.secret);
});

test('a changed subject is announced', async () => {
  const { conversation } = await someone();
  const seq = await lastSeq();
  await merchant.patch(conversation, { subject: 'Parcel' });
  expect(await eventsSince(seq)).toMatchObject([
    { name: 'conversation.updated', payload: { conversation: { subject: 'Parcel' }, changed: ['subject'] } },
  ]);
});
