import { sql } from '@chowk/kit';
import { buildSchema, type GraphQLField, getNamedType, isObjectType, isRequiredArgument } from 'graphql';
import { expect, test } from 'vitest';
import { pathParameters, type RegisteredAction } from '../../server/src/actions/registry.ts';
import { Context } from '../../server/src/context/context.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { loadModules } from '../../server/src/loader/load-modules.ts';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { filePart, formBody, formHeaders } from '../../server/testing/form-body.ts';
import type { TestResponse } from '../../server/testing/platform.ts';
import { type Fields, RandomInput, SeenValues, seededRandom } from '../../server/testing/random-input.ts';
import { readTables } from '../../server/testing/read-tables.ts';
import { recordProof } from '../../server/testing/record-proof.ts';
import { testConfig } from '../../server/testing/test-config.ts';
import { testModule } from '../../server/testing/test-module.ts';

/*
 * A member of one tenant, with all permissions, uses the ids, files, channels and tokens of another one, over each way into the
 * platform. Nothing of the other tenant is answered or changed. A long run: TENANT_PROBES=100000 npm test -- cross-tenant
 */

const probes = Number(process.env.TENANT_PROBES ?? 700);
/** In every text of the other tenant. */
const secret = 'Quetzalcoatlus';

const modules = await loadModules(testConfig());
const operations = modules.flatMap(({ definition }) =>
  Object.entries(definition.actions ?? {}).flatMap(([name, { bus }]) => (bus ? [name] : [])),
);
const platform = await startAccounts({
  modules: [...modules, testModule({ alias: 'prober', consumes: operations })],
  environment: { RATE_LIMIT_PER_MINUTE: '0', LOGIN_FAILURES_PER_MINUTE: '10000', GRAPHQL_COST_PER_MINUTE: '0' },
});
const { kernel } = platform;
const [own, other] = [await platform.tenant(), await platform.tenant()];
let attacker = await platform.person({ tenant: own });
const owner = await platform.person({ tenant: other, name: `${secret} Owner` });

const seen = new SeenValues();
const random = new RandomInput(seededRandom(Number(process.env.PROBE_SEED ?? 1)), seen);
const fileUrls: string[] = [];

async function fillOther(): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const answer = await owner.post(`/api/v1${path}`, body);
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    seen.read(answer.body, path.split('/').at(-1) ?? '');
    return answer.body;
  };
  const text = (what: string) => `${secret} ${what}`;
  const { customer } = await post('/customers', {
    email: `${secret}@example.com`,
    phone: '+919812345678',
    first_name: secret,
    last_name: text('Rao'),
    notes: text('note'),
    tags: [secret],
    external_ids: { shopify: `${secret}-1` },
  });
  await post(`/customers/${customer.id}/addresses`, { type: 'billing', address1: text('Road'), city: secret });
  const { product } = await post('/products', { sku: `${secret}-1`, title: text('Tea'), price: '4.50', stock: 50 });
  const { order } = await post('/orders', {
    customer_id: customer.id,
    status: 'confirmed',
    items: [{ sku: `${secret}-1`, quantity: 2 }],
    note: text('order'),
  });
  await post(`/orders/${order.id}/payments`, { method: 'cash', amount: '1.00', reference: text('payment') });
  await post(`/orders/${order.id}/invoice`, {});
  const { conversation } = await post('/conversations', {
    customer: { id: customer.id },
    channel: 'email',
    subject: secret,
    message: { body: text('message') },
  });
  const payload = formBody([filePart(`%PDF-1.4\n% ${text('file')}\n%%EOF\n`, 'note.pdf', 'application/pdf')]);
  const { body: upload } = await owner.request({
    method: 'POST',
    url: '/api/v1/conversations/attachments',
    headers: formHeaders,
    payload,
  });
  expect(upload, JSON.stringify(upload)).toHaveProperty('attachment');
  await post(`/conversations/${conversation.id}/messages`, {
    direction: 'outbound',
    body: text('reply'),
    attachment_ids: [upload.attachment.id],
  });
  await post('/discounts', {
    code: `${secret}10`.toUpperCase(),
    kind: 'percent',
    value: '10',
    title: text('discount'),
  });
  await post('/webhooks', { url: 'https://example.com/hook', events: ['order.*'], description: text('webhook') });
  await post('/api-clients', { name: text('client'), scopes: ['customers.view'], password: owner.password });
  await post('/collections', { title: text('collection'), products: [product.id] });
  await post('/canned-replies', { title: text('reply'), body: text('reply'), is_shared: true });
  await post('/stock-locations', { name: text('location') });
  for (const { method, path, input } of kernel.actions) {
    if (method !== 'GET' || pathParameters(path).length > 0 || input?.required?.length) continue;
    const { status, body } = await owner.get(path);
    if (status === 200) seen.read(body, path.split('/').at(-1) ?? '');
  }
  seen.add('order_number', order.order_number);
  seen.addId('user', owner.id);
  const stored = await other.db.rows<{ id: string }>(sql`SELECT id FROM stored_files`);
  const forged = { type: 'application/pdf', name: 'note.pdf', expires: '4102444800', signature: 'A'.repeat(43) };
  for (const { id } of stored) {
    const key = `private/tenants/${other.id}/${id}`;
    fileUrls.push(`/files/download?${new URLSearchParams({ key, ...forged })}`);
  }
  fileUrls.push(
    `/api/v1/orders/${order.id}/invoice`,
    `/api/v1/orders/${order.id}/packing-slip`,
    `/api/v1/conversations/${conversation.id}/attachments/${upload.attachment.id}`,
  );
}

/** The kind of record that the `id` in a path belongs to. */
function findSubject({ path = '', tag }: RegisteredAction): string {
  return /([a-z-]+)\/:/.exec(path)?.[1] ?? tag.toLowerCase();
}

function inputFor(action: RegisteredAction): Fields {
  const { wait: _, ...input } = (action.input ? random.valid(action.input, '', findSubject(action)) : {}) as Fields;
  return input;
}

const asText = (value: unknown) =>
  encodeURIComponent(String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()).slice(0, 900);

function httpRequest(action: RegisteredAction) {
  const { method = 'GET', path } = action;
  const input = inputFor(action);
  const inPath = pathParameters(path);
  const url = path.replace(/:(\w+)/g, (_, name: string) => asText(input[name] ?? 'x') || 'x');
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name));
  if (takesBody(action)) return { method, url, payload: Object.fromEntries(rest) };
  const query = rest.flatMap(([name, value]) => [value].flat().map((one) => `${name}=${asText(one)}`));
  return { method, url: query.length > 0 ? `${url}?${query.join('&')}` : url };
}

/** With the headers of the other tenant. */
const foreignHeaders = () =>
  random.pick([
    { 'x-tenant': other.id },
    { 'x-tenant': other.id.toUpperCase() },
    { host: `${other.id}.localhost` },
    { host: `${other.id}.localhost.`, 'x-tenant': own.id },
    { 'x-forwarded-host': `${other.id}.localhost` },
    { 'x-tenant': `${own.id},${other.id}` },
  ]);

const schema = buildSchema(kernel.services.graphql.composeAll());
const rootFields = (['query', 'mutation'] as const).flatMap((root) =>
  Object.values(schema.getRootType(root as never)?.getFields() ?? {}).map((field) => ({ root, field })),
);

/** All fields without arguments, three levels deep. */
function selectionOf(type: GraphQLField<unknown, unknown>['type'], depth = 3): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const names = Object.values(named.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    if (!isObjectType(getNamedType(field.type))) return [field.name];
    return depth > 1 ? [`${field.name} ${selectionOf(field.type, depth - 1)}`] : [];
  });
  return `{ __typename ${names.join(' ')} }`;
}

function graphqlRequest() {
  const { root, field } = random.pick(rootFields);
  const action = kernel.actions.find(
    ({ name, graphql }) => graphql === field.name || name.replaceAll('.', '_') === field.name,
  );
  const input = action ? inputFor(action) : {};
  const variables: Fields = { ...input, input };
  const used = field.args.filter(({ name }) => name in variables);
  const declared = used.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = used.map(({ name }) => `${name}: $${name}`).join(', ');
  const head = used.length > 0 ? `${root} (${declared}) { ${field.name}(${passed})` : `${root} { ${field.name}`;
  const payload = {
    query: `${head} ${selectionOf(field.type)} }`,
    variables: Object.fromEntries(used.map(({ name }) => [name, variables[name]])),
  };
  return { method: 'POST' as const, url: '/api/v1/graphql', payload };
}

const withMethod = kernel.actions.filter(
  // Tested by its own module, because it starts programs.
  ({ method, path }) => method && !path.endsWith('/install/check-requirements'),
);
const onBus = kernel.actions.filter(({ name, bus }) => bus && operations.includes(name));
const jobs = kernel.jobs.jobNames.filter((name) => !kernel.jobs.isSystemJob(name) && kernel.jobs.getHandler(name).data);

const ways: Record<string, () => Promise<unknown>> = {
  'HTTP, with ids of the other tenant': () => attacker.request(httpRequest(random.pick(withMethod))),
  'HTTP, at the address of the other tenant': () =>
    attacker.request({ ...httpRequest(random.pick(withMethod)), headers: foreignHeaders() }),
  GraphQL: () => attacker.request(graphqlRequest()),
  channels: () =>
    attacker.request({
      method: 'POST',
      url: '/broadcasting/auth',
      payload: {
        socket_id: `${random.pick([1, 2, 99])}.${random.pick([1, 7])}`,
        channel_name: random.pick([
          `private-user.${owner.id}`,
          `private-user.${owner.id}.`,
          `private-tenant.${other.id}`,
          `presence-tenant.${other.id}`,
          'presence-tenant',
        ]),
      },
    }),
  files: () => attacker.get(random.pick(fileUrls), random.chance(0.5) ? foreignHeaders() : {}),
  'operations of modules': () => {
    const action = random.pick(onBus);
    const ctx = new Context(kernel, { requestId: 'probe', module: 'prober', tenant: own, system: true });
    return ctx.bus.call(action.name as never, inputFor(action) as never).catch((error: Error) => error.message);
  },
  jobs: () => {
    const handler = kernel.jobs.getHandler(random.pick(jobs));
    const name = jobs.find((job) => kernel.jobs.getHandler(job) === handler) ?? '';
    const data = random.valid(handler.data ?? {});
    return handler
      .perform({ job: name, tenant: own.id, data, requestId: 'probe' })
      .catch((error: Error) => error.message);
  },
};

/** What the request itself contains does not count: errors may repeat it. */
function findLeak(answer: unknown): string | undefined {
  const text = JSON.stringify(answer) ?? '';
  const place = text.indexOf(`${secret} `);
  return place < 0 ? undefined : text.slice(Math.max(0, place - 200), place + 200);
}

function isSessionOver(answer: unknown): boolean {
  return (answer as TestResponse | undefined)?.status === 401;
}

test('a member of one tenant reads and changes nothing of another one', async () => {
  await fillOther();
  await kernel.deliveries.sweep();
  await expect.poll(async () => (await other.db.rows(sql`SELECT FROM event_deliveries`)).length).toBe(0);
  // The owner reads the secret with the same requests.
  expect(findLeak(await owner.request({ method: 'GET', url: '/api/v1/orders' }))).toBeDefined();
  const before = await readTables(other.db);
  const problems: string[] = [];
  const counts: Record<string, number> = {};
  const names = Object.keys(ways);
  for (let probe = 0; probe < probes; probe += 1) {
    const name = names[probe % names.length] as string;
    const answer = await (ways[name] as () => Promise<unknown>)();
    counts[name] = (counts[name] ?? 0) + 1;
    const leak = findLeak(answer);
    if (leak !== undefined) problems.push(`${name}: ${leak}`);
    if (isSessionOver(answer)) attacker = await newAttacker();
  }
  expect(problems.slice(0, 10)).toEqual([]);
  expect(await readTables(other.db)).toEqual(before);
  recordProof(counts);
}, 86_400_000);

function newAttacker(): Promise<Person> {
  return platform.person({ tenant: own });
}
