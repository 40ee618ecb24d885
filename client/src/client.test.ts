import { expect, expectTypeOf, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { getPort } from '../../server/testing/raw-http.ts';
import { pixel } from '../testing/pixel.ts';
import {
  ChowkError,
  type Client,
  type CursorPagination,
  type Customer,
  createClient,
  type ErrorCode,
  memoryTokens,
  NetworkError,
  type NewOrder,
  type Order,
  type OrderDetails,
  type PagePagination,
} from './client.ts';

const platform = await startPlatform();
await platform.app.listen({ host: '127.0.0.1', port: 0 });
const acme = await platform.tenant();
const permissions = ['customers.view', 'customers.create', 'customers.edit', 'customers.export', 'orders.view'];
const more = ['orders.create', 'products.view', 'products.create', 'products.edit', 'products.import'];
const { token: accessToken } = acme.caller(...permissions, ...more);
const url = `http://127.0.0.1:${getPort(platform.app)}`;
const chowk = createClient({ url, tenant: acme.id, tokens: memoryTokens({ accessToken }) });

test('an order is created and read with one flat input each', async () => {
  const { order, message } = await chowk.orders.create({
    customer: { phone: '+919876543210', first_name: 'Asha' },
    items: [{ name: 'Tea', quantity: 2, price: '49.50' }],
  });
  expect(message).toMatch(/created/);
  expect(order).toMatchObject({ total: '99.00', status: 'pending' });
  const { order: found } = await chowk.orders.get({ id: order.id });
  expect(found).toMatchObject({ id: order.id, customer: { first_name: 'Asha' } });
  const { orders } = await chowk.orders.list({ status: ['pending', 'confirmed'], search: 'Asha' });
  expect(orders.map(({ id }) => id)).toEqual([order.id]);
});

test('a list is read by page, by cursor, or record by record', async () => {
  const tags = ['bulk'];
  const { customers } = await chowk.customers.list({ tags });
  expect(customers).toEqual([]);
  const csv = Array.from({ length: 230 }, (_, index) => `BULK-${index},Thing ${index},10`);
  await chowk.products.import({ csv: ['sku,title,price', ...csv].join('\n') });
  const byPage = await chowk.products.list({ search: 'Thing', page: 2, per_page: 100 });
  expect(byPage.pagination).toEqual({ current_page: 2, last_page: 3, per_page: 100, total: 230 });
  const byCursor = await chowk.products.list({ search: 'Thing', limit: 50 });
  expect(byCursor.pagination).toMatchObject({ has_more: true });
  const all = await Array.fromAsync(chowk.products.list.all({ search: 'Thing' }));
  expect(new Set(all.map(({ sku }) => sku)).size).toBe(230);
  expect(await Array.fromAsync(chowk.products.list.all({ search: 'Nothing' }))).toEqual([]);
});

test('a loop that ends early requests no further pages', async () => {
  let requests = 0;
  for await (const product of chowk.products.list.all({ search: 'Thing' }, { onResponse: () => requests++ })) {
    expect(product.title).toMatch(/^Thing/);
    break;
  }
  expect(requests).toBe(1);
});

test('an export is a response whose body is read as it arrives', async () => {
  await chowk.customers.create({ first_name: 'Ravi', email: 'ravi@example.com' });
  const file = await chowk.customers.export({ format: 'csv' }, { timeoutMs: 10_000 });
  expect(file.headers.get('content-disposition')).toMatch(/customers-.*\.csv/);
  expect(await file.text()).toContain('ravi@example.com');
});

test('a product image is uploaded from a Blob', async () => {
  const { product } = await chowk.products.create({ sku: 'TEA-1', title: 'Tea', price: 49.5 });
  const { image } = await chowk.products.addImage({
    id: product.id,
    file: new File([pixel], 'tea.png', { type: 'image/png' }),
    alt: 'A cup of tea',
  });
  expect(image).toMatchObject({ alt: 'A cup of tea' });
  expect((await chowk.products.get({ id: product.id })).product.images).toHaveLength(1);
});

test('invalid input is an error with the problems of each field', async () => {
  const error = await chowk.orders
    .create({ items: [{ name: '', quantity: 0, price: 'much' }] })
    .catch((error: unknown) => error as ChowkError);
  expect(error).toBeInstanceOf(ChowkError);
  expect(error).toMatchObject({
    name: 'ChowkError',
    status: 422,
    code: 'http.validation_failed',
    retryAfter: undefined,
    requestId: expect.stringMatching(/./),
    fields: {
      'items.0.name': [{ code: 'too_short', message: expect.stringMatching(/name/) }],
      'items.0.quantity': [{ code: expect.any(String), message: expect.stringMatching(/quantity/) }],
      'items.0.price': [{ code: expect.any(String), message: expect.stringMatching(/price/) }],
    },
  });
});

test('a refusal has a code, and the whole body for its other fields', async () => {
  const { customer: kept } = await chowk.customers.create({ first_name: 'Kept' });
  await expect(chowk.customers.merge({ primary_id: kept.id, secondary_id: kept.id })).rejects.toMatchObject({
    status: 403,
    code: 'auth.forbidden',
    fields: {},
    body: { message: expect.any(String) },
  });
});

test('a change of an outdated record is refused with the ETag of its response', async () => {
  let etag = '';
  const onResponse = ({ headers }: Response) => {
    etag = headers.get('etag') ?? '';
  };
  const { customer } = await chowk.customers.create({ first_name: 'Meera' }, { onResponse });
  const { id } = customer;
  await chowk.customers.update({ id, last_name: 'Iyer' }, { headers: { 'If-Match': etag } });
  const late = chowk.customers.update({ id, last_name: 'Rao' }, { headers: { 'If-Match': etag } });
  await expect(late).rejects.toMatchObject({ status: 412, code: 'http.precondition_failed' });
});

test('a response of a proxy, which is not JSON, is an error without a code', async () => {
  const broken = createClient({ fetch: async () => new Response('<h1>Bad gateway</h1>', { status: 502 }), retries: 0 });
  await expect(broken.health.get()).rejects.toMatchObject({
    status: 502,
    code: undefined,
    body: {},
    message: 'The server responded with status 502.',
  });
});

test('an error of another program with unknown fields is an error without fields', async () => {
  const refusal = async () => Response.json({ errors: null, error_codes: null }, { status: 400 });
  await expect(createClient({ fetch: refusal }).health.get()).rejects.toMatchObject({ status: 400, fields: {} });
});

test('a page of another program instead of JSON is a failure of the network', async () => {
  const hotel = createClient({ fetch: async () => new Response('<h1>Welcome to our hotel</h1>'), retries: 0 });
  await expect(hotel.health.get()).rejects.toThrow(NetworkError);
});

test('headers of a call replace those of the client', async () => {
  const globex = await platform.tenant();
  await expect(chowk.orders.list({}, { headers: { 'X-Tenant': globex.id } })).rejects.toMatchObject({
    status: 403,
    code: 'auth.not_a_member',
  });
});

test('inputs and outputs have exact types', () => {
  expectTypeOf<Parameters<Client['orders']['create']>[0]>().toEqualTypeOf<NewOrder>();
  expectTypeOf<Client['orders']['create']>().returns.resolves.toEqualTypeOf<{
    readonly message: string;
    readonly order: Order;
  }>();
  expectTypeOf<Client['orders']['get']>().returns.resolves.toEqualTypeOf<{ readonly order: OrderDetails }>();
  expectTypeOf<Client['customers']['export']>().returns.resolves.toEqualTypeOf<Response>();
  expectTypeOf(chowk.customers.list.all).returns.toEqualTypeOf<AsyncGenerator<Customer, void, undefined>>();
  expectTypeOf<Order['total']>().toEqualTypeOf<string>();
  expectTypeOf<NewOrder['total']>().toEqualTypeOf<string | number | undefined>();
  expectTypeOf<Order['status']>().toEqualTypeOf<NonNullable<NewOrder['status']>>();
  expectTypeOf<ChowkError['code']>().toEqualTypeOf<ErrorCode | undefined>();
});

/** Never called: `npm run check` fails if one of these lines compiles, or if another one does not. */
export async function wrongUses(): Promise<void> {
  const byPage: PagePagination = (await chowk.orders.list({ page: 2 })).pagination;
  const byDefault: PagePagination = (await chowk.orders.list()).pagination;
  const byCursor: CursorPagination = (await chowk.orders.list({ limit: 10, cursor: 'x' })).pagination;
  // @ts-expect-error: by cursor there is no total
  byCursor.total;
  // @ts-expect-error: the id is missing
  await chowk.orders.get({});
  // @ts-expect-error: the input is missing
  await chowk.orders.get();
  // @ts-expect-error: the customer is missing
  chowk.customers.listOrders.all();
  // @ts-expect-error: not a status
  await chowk.orders.list({ status: ['lost'] });
  // @ts-expect-error: there is no such filter
  await chowk.orders.list({ colour: 'red' });
  // @ts-expect-error: there is no such filter
  chowk.orders.list.all({ colour: 'red' });
  // @ts-expect-error: all records have no page
  chowk.orders.list.all({ page: 1 });
  // @ts-expect-error: not a list
  chowk.orders.get.all;
  // @ts-expect-error: a number is not a title
  await chowk.products.create({ sku: 'TEA-1', title: 1, price: 1 });
  // @ts-expect-error: responses are read-only
  byPage.total = byDefault.total;
}

test('an action that the client does not know is called by its method and path', async () => {
  const { customer } = (await chowk.send('POST customers', { first_name: 'Send' })) as { customer: { id: string } };
  expect(await chowk.send('GET /api/v1/customers/:id', { id: customer.id })).toMatchObject({ customer });
  const file = (await chowk.send('GET customers/export file', { search: 'Send' })) as Response;
  expect(await file.text()).toContain(customer.id);
});
