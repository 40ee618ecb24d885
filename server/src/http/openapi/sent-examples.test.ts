import { expect, test } from 'vitest';
import { startAccounts } from '../../../testing/accounts.ts';

/* Every example of a request in the API description is sent, with the ids of records that exist. */

// biome-ignore lint/suspicious/noExplicitAny: the description and the responses have many shapes
type Any = any;

const platform = await startAccounts();
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const { body: document } = await platform.request({ url: '/api/openapi.json' });
const operations = Object.entries<Any>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Any>(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);

/** Records for the ids in examples. Each example gets new ones, because some delete or change them. */
let records = 0;
async function create(path: string, body: object): Promise<Any> {
  records += 1;
  const { status, body: answer } = await owner.post(`/api/v1${path}`, body);
  if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer)}`);
  return Object.values<Any>(answer).find((record) => record?.id !== undefined);
}
const product = () => create('/products', { sku: `RICE-${records}`, title: 'Rice', price: '40.00', stock: 50 });
const items = [{ name: 'Rice', quantity: 1, price: '40.00' }];
const message = { body: 'Hello', direction: 'inbound' };
const customer = () => create('/customers', { first_name: `Ravi ${records}` });
const variant = async () => (await product()).variants[0];
const zone = () => create('/shipping-zones', { name: `Zone ${records}`, regions: [{ country: 'IN' }] });
const location = () => create('/stock-locations', { name: `Shop ${records}` });

/** By the first part of a path. */
const makers: Readonly<Record<string, () => Promise<{ readonly id: string }>>> = {
  customers: customer,
  orders: async () => {
    const order = await create('/orders', { items, status: 'confirmed' });
    await create(`/orders/${order.id}/payments`, { method: 'cash', amount: '20.00' });
    return order;
  },
  'draft-orders': () => create('/draft-orders', { items }),
  products: product,
  variants: variant,
  collections: () => create('/collections', { title: `New ${records}` }),
  conversations: () =>
    create('/conversations', { customer: { email: `guest-${records}@example.com` }, channel: 'email', message }),
  discounts: () => create('/discounts', { code: `CODE${records}`, kind: 'fixed', value: '5' }),
  webhooks: () => create('/webhooks', { url: 'https://example.com/hooks', events: ['order.created'] }),
  'shipping-zones': zone,
  'stock-locations': location,
};

/** The ids in a body, by the name of their field. */
const fields: typeof makers = {
  customer_id: customer,
  customer_ids: customer,
  primary_id: customer,
  secondary_id: customer,
  product_id: product,
  variant_id: variant,
  zone_id: zone,
  to_location_id: location,
};

const sample = /^01934f2e-7b1c-7c3a-9f1d-2b8e4a6c0d1\d$/;

async function withRecords(value: unknown, field = ''): Promise<unknown> {
  if (field === 'until') return new Date(Date.now() + 86_400_000).toISOString();
  if (typeof value === 'string' && sample.test(value)) return (await fields[field]?.())?.id ?? value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => withRecords(item, field)));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(async ([name, item]) => [name, await withRecords(item, name)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** `undefined` if the test has no records of this kind. */
async function fillPath(path: string): Promise<string | undefined> {
  const [, list, rest = ''] = /^\/api\/v1\/([a-z-]+)\/\{\w+\}(.*)$/.exec(path) ?? [];
  if (list === undefined) return path.includes('{') ? undefined : path;
  const make = makers[list];
  return make && !rest.includes('{') ? `/api/v1/${list}/${(await make()).id}${rest}` : undefined;
}

/** Sends the example of an operation. `undefined`: it is a file, or there is no record for the path. */
async function sendExample({ method, path, parameters, requestBody }: Any) {
  const content = requestBody?.content['application/json'];
  const url = requestBody && !content ? undefined : await fillPath(path);
  if (url === undefined) return undefined;
  const query = new URLSearchParams();
  for (const { name, in: place, example } of parameters) {
    if (place !== 'query' || unsentParameters.has(name)) continue;
    for (const item of [await withRecords(example, name)].flat()) {
      // `metadata[source]=shop`
      if (item !== null && typeof item === 'object')
        for (const [key, value] of Object.entries(item)) query.append(`${name}[${key}]`, String(value));
      else query.append(name, String(item));
    }
  }
  return platform.request({
    method,
    url: `${url}${query.size > 0 ? `?${query}` : ''}`,
    headers: { authorization: `Bearer ${owner.accessToken}`, 'x-tenant': acme.id },
    ...(content ? { payload: (await withRecords(content.example)) as object } : {}),
  });
}

/** Instead of `page`, and a time to wait. */
const unsentParameters = new Set(['cursor', 'limit', 'wait']);

/** Operations whose example cannot succeed here, and the code of the failure. */
const refused: readonly (readonly [operations: RegExp, code: string])[] = [
  [/^(appRequests\.|oauth\.authorize$)/, 'identity.unknown_app'],
  [/^(platform\.|referralCodes|onboarding\.list|releases\.(get|set|remove)|rings)/, 'auth.forbidden'],
  [/^install\./, 'installation.installed'],
  [/^demo\.fill$/, 'installation.not_empty'],
  [/^(auth\.login|password\.reset|onboarding\.apply|notifications\.receive.*)$/, 'http.validation_failed'],
  [/^auth\.refresh$/, 'identity.bad_refresh_token'],
  [/^oauth\.(token|revoke|authorizeDevice)$/, 'identity.invalid_client'],
  [/^twoFactor\.confirm$/, 'identity.two_factor_not_begun'],
  [/^twoFactor\.renewRecoveryCodes$/, 'identity.two_factor_off'],
  [/^releases\.list$/, 'releases.no_channel'],
  [/^mailbox\.getImap$/, 'mailbox.imap_not_found'],
  [/^notifications\.rotateWebhookSecret$/, 'notifications.provider_not_found'],
  [/^payments\.createLink$/, 'payments.not_configured'],
  [/^invoices\.createCreditNote$/, 'invoices.no_invoice'],
  [/^customers\.getByExternalId$/, 'customers.not_found'],
  [/^orders\.getByNumber$/, 'orders.not_found'],
  [/^conversations\.merge$/, 'conversations.not_found'],
  [/^products\.addVariant$/, 'http.validation_failed'],
  [/^widget\.getConfig$/, 'widget.disabled'],
  [/^widget\.(start|send|markSeen|showTyping|listUpdates)$/, 'http.origin_forbidden'],
  [/^realtime\.authorize$/, 'realtime.channel_forbidden'],
  [/^mcp\./, 'mcp.disabled'],
];

test('the examples of requests succeed when they are sent', { timeout: 600_000 }, async () => {
  await create('/products', { sku: 'TEA-250', title: 'Green tea, 250 g', price: '49.50', stock: 500 });
  const failures: unknown[] = [];
  let sent = 0;
  for (const operation of operations) {
    const answer = await sendExample(operation);
    if (!answer) continue;
    sent += 1;
    const [, expected] = refused.find(([pattern]) => pattern.test(operation.operationId)) ?? [];
    const { status, body } = answer;
    if (expected === undefined ? status >= 300 : body.code !== expected) {
      failures.push({ operation: operation.operationId, status, body });
    }
  }
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(220);
});

test('filters by a fixed set of values list them', () => {
  const { parameters } = operations.find(({ operationId }) => operationId === 'orders.list') as Any;
  const find = (name: string) => parameters.find((one: Any) => one.name === name).schema;
  expect(find('status').items.enum).toEqual(expect.arrayContaining(['pending', 'refunded']));
  expect(find('payment_status').enum).toContain('partly_paid');
});

test('every parameter and every field of an input has a description', () => {
  const missing: string[] = [];
  const visited = new Set<unknown>();
  const visit = (schema: Any, where: string): void => {
    const target = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
    if (visited.has(target)) return;
    visited.add(target);
    for (const [name, field] of Object.entries<Any>(target.properties ?? {})) {
      if (!field.$ref && !/^(?!Default:)./.test(field.description ?? '')) missing.push(`${where}.${name}`);
      visit(field, `${where}.${name}`);
    }
    for (const part of [...(target.anyOf ?? []), ...(target.allOf ?? []), target.items].filter(Boolean))
      visit(part, where);
  };
  for (const { operationId, parameters, requestBody } of operations) {
    for (const { $ref, name, description } of parameters)
      if (!$ref && !description) missing.push(`${operationId} ${name}`);
    for (const { schema } of Object.values<Any>(requestBody?.content ?? {})) visit(schema, operationId);
  }
  expect(missing).toEqual([]);
});
