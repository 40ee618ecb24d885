import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller(
  'customers.view',
  'customers.create',
  'customers.edit',
  'customers.delete',
  'customers.merge',
);
const ctx = acme.context('notifications');

let phones = 1_000;
async function create(fields: object = {}) {
  phones += 1;
  const phone = `+91987654${phones}`;
  const { status, body } = await merchant.post('/api/v1/customers', { phone, ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  const { id } = body.customer;
  const read = async () => (await merchant.get(`/api/v1/customers/${id}`)).body.customer;
  const write = (text: string) => ctx.bus.call('customers.recordConsent', { phone, text, source: 'sms' });
  return { id, phone, read, write };
}

test.each([
  ['STOP', false],
  [' Stop. ', false],
  ['unsubscribe', false],
  ['Opt-out', false],
  ['START', true],
  ['Please stop calling me', null],
  ['yes', null],
  ['', null],
])('the message %j means %j', async (text, accepts_marketing) => {
  const { id, write, read } = await create({ accepts_marketing: accepts_marketing === false });
  expect(await write(text)).toEqual({ customer_id: accepts_marketing === null ? null : id, accepts_marketing });
  const { consents } = await read();
  expect(consents.filter(({ source }: { source: string }) => source === 'sms')).toEqual(
    accepts_marketing === null
      ? []
      : [{ accepts_marketing, source: 'sms', user_id: null, created_at: expect.any(String) }],
  );
});

test('a number that no customer has changes nothing', async () => {
  const input = { phone: '+919999999999', text: 'STOP', source: 'sms' };
  expect(await ctx.bus.call('customers.recordConsent', input)).toEqual({ customer_id: null, accepts_marketing: null });
});

test('consent is recorded only when it changes', async () => {
  const { id, read, write } = await create();
  await write('STOP');
  expect((await read()).consents).toEqual([]);
  await merchant.patch(`/api/v1/customers/${id}`, { accepts_marketing: true });
  await merchant.patch(`/api/v1/customers/${id}`, { accepts_marketing: true, first_name: 'Meera' });
  await write('STOP');
  expect((await read()).consents).toMatchObject([
    { accepts_marketing: false, source: 'sms', user_id: null },
    { accepts_marketing: true, source: 'update', user_id: expect.any(Number) },
  ]);
});

test('a merge keeps the records of both customers', async () => {
  const [primary, secondary] = [await create({ accepts_marketing: true }), await create({ accepts_marketing: true })];
  await merchant.post('/api/v1/customers/merge', { primary_id: primary.id, secondary_id: secondary.id });
  expect((await primary.read()).consents).toHaveLength(2);
});

test('it is refused to record nothing', async () => {
  await expect(ctx.bus.call('customers.recordConsent', { source: 'sms' })).rejects.toMatchObject({ status: 422 });
});
