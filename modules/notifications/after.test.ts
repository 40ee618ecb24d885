import { type Ctx, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { isAfter } from './list.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
const orders = acme.context('orders');
const url = '/api/v1/notifications';

const member = () => platform.person({ tenant: acme });

async function send(ctx: Ctx, { id }: Person, title: string, group_key: string | null = null): Promise<void> {
  await ctx.notify(id, { type: 'order.updated', title, group_key });
}

const findId = async (person: Person, title: string): Promise<string> =>
  (await person.get(url)).body.notifications.find((one: { title: string }) => one.title === title).id;

async function titlesAfter(person: Person, id: string, query = ''): Promise<string[]> {
  const { body } = await person.get(`${url}?after=${id}&sort_order=asc${query}`);
  return body.notifications.map(({ title }: { title: string }) => title);
}

/** A transaction that has sent something and commits when `commit` is called. */
async function holdOpen(work: (tx: Ctx) => Promise<void>): Promise<{ commit(): Promise<void> }> {
  const sent = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const committed = orders.tx(async (tx) => {
    await work(tx);
    sent.resolve();
    await release.promise;
  });
  await sent.promise;
  return {
    async commit() {
      release.resolve();
      await committed;
    },
  };
}

test('a notification whose transaction commits late is listed after one that was sent later and seen first', async () => {
  const asha = await member();
  await send(orders, asha, 'before');
  const late = await holdOpen((tx) => send(tx, asha, 'late'));
  await send(orders, asha, 'seen');
  const seen = await findId(asha, 'seen');
  expect(await titlesAfter(asha, seen)).toEqual([]);
  await late.commit();
  expect(await titlesAfter(asha, seen)).toEqual(['late']);
  await send(orders, asha, 'next');
  expect(await titlesAfter(asha, seen)).toEqual(['late', 'next']);
  expect(await titlesAfter(asha, await findId(asha, 'next'))).toEqual([]);
});

test('a repetition whose transaction commits late is listed too', async () => {
  const asha = await member();
  await send(orders, asha, 'first', 'orders');
  const late = await holdOpen((tx) => send(tx, asha, 'again', 'orders'));
  await send(orders, asha, 'seen');
  await late.commit();
  expect(await titlesAfter(asha, await findId(asha, 'seen'))).toEqual(['again']);
});

test('those sent one after the other are listed exactly, while other transactions are open', async () => {
  const asha = await member();
  const ravi = await member();
  const other = await holdOpen((tx) => send(tx, ravi, 'for another member'));
  for (const title of ['1', '2', '3']) await send(orders, asha, title);
  await other.commit();
  expect(await titlesAfter(asha, await findId(asha, '1'))).toEqual(['2', '3']);
  expect(await titlesAfter(asha, await findId(asha, '2'))).toEqual(['3']);
  expect(await titlesAfter(asha, await findId(asha, '3'))).toEqual([]);
});

test('those of one transaction are listed in the order in which they were sent', async () => {
  const asha = await member();
  await orders.tx(async (tx) => {
    await send(tx, asha, '1');
    // Transactions that end meanwhile make this one look like a past one.
    await send(acme.context('orders'), await member(), 'for another member');
    await send(tx, asha, '2');
    await tx.tx((nested) => send(nested, asha, '3'));
  });
  expect(await titlesAfter(asha, await findId(asha, '1'))).toEqual(['2', '3']);
  expect(await titlesAfter(asha, await findId(asha, '2'))).toEqual(['3']);
  expect(await titlesAfter(asha, await findId(asha, '3'))).toEqual([]);
});

test('pages, totals and other filters follow', async () => {
  const asha = await member();
  const late = await holdOpen((tx) => send(tx, asha, 'late'));
  await send(orders, asha, 'seen');
  const seen = await findId(asha, 'seen');
  await send(orders, asha, 'next');
  await late.commit();
  const { body } = await asha.get(`${url}?after=${seen}&per_page=1&page=2`);
  expect(body).toMatchObject({ notifications: [{ title: 'late' }], pagination: { total: 2 } });
  await asha.patch(`${url}/${await findId(asha, 'late')}/read`);
  expect(await titlesAfter(asha, seen)).toEqual(['late', 'next']);
  expect(await titlesAfter(asha, seen, '&unread_only=true')).toEqual(['next']);
});

test('the index bounds the search, however many notifications a member has', async () => {
  const asha = await member();
  await orders.db.run(sql`
    INSERT INTO notifications (id, user_id, type, title, created_at, updated_at)
    SELECT gen_random_uuid(), ${asha.id}::bigint, 'test', 'old', now() - n * interval '1 hour', now()
    FROM generate_series(48, 5000) n`);
  await orders.db.run(sql`ANALYZE notifications`);
  await send(orders, asha, 'seen');
  const [plan] = await orders.db.rows<{ 'QUERY PLAN': object }>(sql`
    EXPLAIN (ANALYZE, FORMAT JSON) SELECT id FROM notifications n
    WHERE user_id = ${asha.id} AND ${isAfter(await findId(asha, 'seen'))} ORDER BY created_at DESC, id DESC LIMIT 20`);
  const text = JSON.stringify(plan);
  expect(text).toContain('"Index Name":"notifications_by_user"');
  expect(text).not.toMatch(/Seq Scan|"Rows Removed by Filter":\d\d/);
});
