import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const rights = ['view', 'create', 'edit', 'export', 'view_sensitive'].map((verb) => `customers.${verb}`);

async function shop(...permissions: string[]) {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...(permissions.length > 0 ? permissions : rights));
  const send = (payload: string, { query = '', path = 'import' } = {}) =>
    caller.request({
      method: 'POST',
      url: `/api/v1/customers/${path}${query}`,
      payload,
      headers: { 'content-type': 'text/csv' },
    });
  const all = () =>
    tenant.db.rows<Record<string, unknown>>(sql`
      SELECT email, phone, first_name, last_name, accepts_marketing, tags, notes, external_ids FROM customers
      WHERE deleted_at IS NULL ORDER BY first_name, id`);
  return { tenant, caller, send, preview: (payload: string) => send(payload, { path: 'import/preview' }), all };
}

const shopify = [
  'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,' +
    'Default Address Address2,Default Address City,Default Address Province Code,Default Address Country Code,' +
    'Default Address Zip,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags',
  `'6789012,Asha,Rao,Asha@Example.com,yes,Acme,12 MG Road,,Pune,MH,IN,'411001,,'+919876543210,no,1200.50,3,"Calls, often",no,"vip, wholesale"`,
  ',Ravi,,ravi@example.com,no,,,,,,,,,,no,0.00,0,,no,',
  '',
].join('\n');

test('a customer export of Shopify is imported as it is', async () => {
  const { caller, send, preview, all } = await shop();
  expect((await preview(shopify)).body).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 0, errors: [] });
  expect(await all()).toEqual([]);
  const { status, body } = await send(shopify);
  expect({ status, body }).toMatchObject({ status: 200, body: { created: 2, failed: 0 } });
  expect(await all()).toEqual([
    {
      email: 'asha@example.com',
      phone: '+919876543210',
      first_name: 'Asha',
      last_name: 'Rao',
      accepts_marketing: true,
      tags: ['vip', 'wholesale'],
      notes: 'Calls, often',
      external_ids: { shopify: '6789012' },
    },
    expect.objectContaining({ email: 'ravi@example.com', first_name: 'Ravi', tags: [], external_ids: {} }),
  ]);
  const { body: found } = await caller.get('/api/v1/customers/lookup?platform=shopify&external_id=6789012');
  expect(found.customer.addresses).toMatchObject([
    { company: 'Acme', address1: '12 MG Road', city: 'Pune', state: 'MH', country: 'IN', pincode: '411001' },
  ]);
  expect((await send(shopify)).body).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
  const { body: again } = await caller.get('/api/v1/customers/lookup?platform=shopify&external_id=6789012');
  expect(again.customer.addresses).toHaveLength(1);
});

test('an import creates and updates customers, and a preview has the same report', async () => {
  const { caller, send, preview, all } = await shop();
  const { body: known } = await caller.post('/api/v1/customers', {
    email: 'old@example.com',
    first_name: 'Old',
    tags: ['kept'],
  });
  await caller.post('/api/v1/customers', { phone: '98765 00001', first_name: 'Phone' });
  const file = [
    'id,email,phone,first_name,accepts_marketing',
    ',OLD@example.com,,Older,',
    ',new@example.com,,New,yes',
    ',,9876500001,Phone,no',
    ',old@example.com,,Again,',
    ',x,1,Wrong,perhaps',
    ',,,,',
    'short,row',
    `${known.customer.id},other@example.com,,Other,`,
  ].join('\n');
  const before = await all();
  const { body: previewed } = await preview(file);
  expect(await all()).toEqual(before);
  const { status, body } = await send(file);
  const { message, ...report } = body;
  expect({ status, message }).toEqual({ status: 200, message: '1 created, 2 updated, 1 unchanged, 4 failed.' });
  expect(report).toEqual(previewed);
  expect(
    report.errors.map(({ line, errors }: { line: number; errors: object }) => [line, Object.keys(errors).sort()]),
  ).toEqual([
    [5, ['email']],
    [6, ['accepts_marketing', 'email', 'phone']],
    [7, ['email', 'first_name', 'phone']],
    [8, ['row']],
  ]);
  expect(await all()).toMatchObject([
    { first_name: 'New', email: 'new@example.com', accepts_marketing: true },
    { first_name: 'Other', email: 'other@example.com', tags: ['kept'] },
    { first_name: 'Phone' },
  ]);
});

test('an exported file can be imported into another tenant', async () => {
  const one = await shop();
  await one.caller.post('/api/v1/customers', {
    email: 'a@example.com',
    first_name: '=A',
    tags: ['x', 'y'],
    external_ids: { erp: '1' },
    notes: 'Two\nlines',
  });
  const { body: file } = await one.caller.get('/api/v1/customers/export');
  expect((await one.send(file)).body).toMatchObject({ unchanged: 1, failed: 0 });
  const other = await shop();
  expect((await other.send(file)).body).toMatchObject({ created: 1, failed: 0 });
  expect(await other.all()).toEqual(await one.all());
});

test('columns are mapped or ignored by choice', async () => {
  const { send, all } = await shop();
  const file = 'E-Mail,Vorname,Farbe\na@example.com,Asha,rot\n';
  expect((await send(file)).status).toBe(422);
  const query = '?mapping[E-Mail]=email&mapping[Vorname]=first_name&unknown_columns=ignore';
  expect((await send(file, { query })).body).toMatchObject({ created: 1, failed: 0 });
  expect(await all()).toMatchObject([{ email: 'a@example.com', first_name: 'Asha' }]);
});

test('rows need the permission for what they do', async () => {
  const { send, all } = await shop('customers.create');
  const file = 'email,first_name\na@example.com,Asha\n';
  expect((await send(file)).body).toMatchObject({ created: 1 });
  const { body } = await send(file.replace('Asha', 'Ravi'));
  expect(body).toMatchObject({
    updated: 0,
    failed: 1,
    errors: [{ line: 2, errors: { row: [expect.stringContaining('customers.edit')] } }],
  });
  expect(await all()).toMatchObject([{ first_name: 'Asha' }]);
  const viewer = await shop('customers.view');
  expect((await viewer.send(file)).status).toBe(403);
});
