import { action, Type } from '@chowk/kit';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import type { RegisteredAction } from '../../server/src/actions/registry.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { auditEntries } from '../../server/testing/audit-entries.ts';
import type { TestTenant } from '../../server/testing/platform.ts';
import { toolName } from './tools.ts';

const broken = action({
  summary: 'Fail',
  http: 'GET /broken',
  needs: 'orders.view',
  run: async () => {
    throw new Error('password=hunter2');
  },
});
const chatty = action({
  summary: 'Return more than is declared',
  http: 'GET /chatty',
  needs: 'orders.view',
  output: Type.Object({ name: Type.String() }),
  run: async () => ({ name: 'Tea', cost: '2.00' }),
});
const platform = await startAccounts({ actions: { 'broken.get': broken, 'chatty.get': chatty } });
const { kernel } = platform;
const url = new URL('/mcp', await platform.app.listen({ host: '127.0.0.1', port: 0 }));
const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
await enable(owner);

async function enable(person: Person): Promise<void> {
  const { status } = await person.patch('/api/v1/settings', { 'mcp.enabled': true });
  expect(status).toBe(200);
}

/** A client of the SDK that has connected with the person's token. */
async function connect(
  { accessToken }: Person,
  tenant: TestTenant = acme,
  options: ClientOptions = {},
): Promise<Client> {
  const headers = { authorization: `Bearer ${accessToken}`, 'x-tenant': tenant.id, 'tool-groups': 'all' };
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never);
  return client;
}

interface Result {
  readonly isError?: boolean;
  readonly content: { readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
  readonly structuredContent?: any;
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: input })) as unknown as Result;
}

function readError({ isError, content }: Result) {
  expect(isError).toBe(true);
  return JSON.parse(content[0]?.text ?? '');
}

/** Sends a message without the SDK. */
function send(message: unknown, headers: Record<string, string> = {}, person: Person = owner) {
  const accept = 'application/json, text/event-stream';
  return person.post('/mcp', message, { accept, 'content-type': 'application/json', ...headers });
}

const listMessage = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** The names of the person's tools. The client of the SDK would compile all output schemas each time. */
async function toolNames(person: Person, headers: Record<string, string> = {}): Promise<string[]> {
  const { body } = await send(listMessage, { 'tool-groups': 'all', ...headers }, person);
  return body.result.tools.map(({ name }: { name: string }) => name);
}

const agent = await connect(owner);

test('agents have no access until the tenant enables mcp.enabled', async () => {
  const bazaar = await platform.tenant();
  const ravi = await platform.person({ tenant: bazaar });
  await expect(connect(ravi, bazaar)).rejects.toThrow(/Enable the setting mcp\.enabled first/);
  await enable(ravi);
  await connect(ravi, bazaar);
  expect((await toolNames(ravi)).length).toBeGreaterThan(50);
  await ravi.patch('/api/v1/settings', { 'mcp.enabled': false });
  await expect(connect(ravi, bazaar)).rejects.toThrow(/403|mcp\.enabled/);
});

test('without a choice an agent gets the most used tools and instructions, in less than 15,000 tokens', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
  const started = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect(started.body.result.instructions).toContain('Tool-Groups');
  const { body } = await send(listMessage);
  const names = body.result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['orders_create', 'customers_list', 'products_getBySku', 'reports_sales']),
  );
  expect(names).toHaveLength(21);
  // Tokenizers make a token of about three characters of JSON.
  const tokens = (JSON.stringify(body) + JSON.stringify(started.body)).length / 3;
  expect(tokens).toBeLessThan(15_000);
});

test('an agent chooses groups of tools, and can call those that are not listed', async () => {
  const names = await toolNames(owner, { 'tool-groups': 'invoices, payments' });
  expect(names).toContain('invoices_list');
  expect(new Set(names.map((name) => name.split('_')[0]))).toEqual(new Set(['invoices', 'payments']));
  const unknown = await send(listMessage, { 'tool-groups': 'orders,nothing' });
  expect(JSON.stringify(unknown.body)).toContain('There is no group of tools nothing. Name some of ');
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'invoices_list', arguments: {} } };
  expect((await send(call)).body.result.structuredContent).toMatchObject({ invoices: [] });
});

test('an agent reads and changes records as REST does', async () => {
  const { structuredContent } = await call(agent, 'customers_create', {
    first_name: 'Meera',
    email: 'meera@example.com',
  });
  expect(structuredContent).toMatchObject({ message: 'Customer created.', customer: { first_name: 'Meera' } });
  const { id } = structuredContent.customer;
  const read = await call(agent, 'customers_get', { id });
  expect(read.structuredContent).toEqual((await owner.get(`/api/v1/customers/${id}`)).body);
  expect(JSON.parse(read.content[0]?.text ?? '')).toEqual(read.structuredContent);
  const deleted = await call(agent, 'customers_delete', { id });
  expect(deleted.structuredContent).toEqual({ message: 'Customer deleted.' });
  expect((await owner.get(`/api/v1/customers/${id}`)).status).toBe(404);
});

test('an agent of a user without a verified address only reads', async () => {
  const asha = await platform.person({ tenant: acme, verified: false });
  const names = await toolNames(asha);
  expect(names).toContain('customers_list');
  expect(names).not.toContain('customers_create');
  const refused = readError(await call(await connect(asha), 'customers_create', { first_name: 'Meera' }));
  expect(refused.code).toBe('auth.email_not_verified');
});

test('a paged list takes the same arguments and gives the same answer as REST', async () => {
  for (const title of ['Rice', 'Salt', 'Tea'])
    await owner.post('/api/v1/products', { title, sku: title, price: '10.00' });
  const { structuredContent: first } = await call(agent, 'products_list', { per_page: 2, sort_by: 'title' });
  expect(first).toEqual((await owner.get('/api/v1/products?per_page=2&sort_by=title')).body);
  expect(first.pagination).toMatchObject({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
  const { structuredContent: all } = await call(agent, 'products_list', { limit: 2 });
  const { structuredContent: rest } = await call(agent, 'products_list', {
    limit: 2,
    cursor: all.pagination.next_cursor,
  });
  expect([...all.products, ...rest.products].map(({ sku }) => sku).sort()).toEqual(['Rice', 'Salt', 'Tea']);
});

test('every tool that needs no argument answers as its output schema says', async () => {
  await owner.post('/api/v1/orders', {
    customer: { phone: '+919812345678' },
    items: [{ name: 'Tea', quantity: 1, price: 5 }],
  });
  await owner.post('/api/v1/conversations', {
    channel: 'email',
    customer: { email: 'leela@example.com' },
    subject: 'Hello',
  });
  const { tools } = await agent.listTools();
  const simple = tools.filter(
    ({ annotations, inputSchema }) => annotations?.readOnlyHint && !inputSchema.required?.length,
  );
  expect(simple.length).toBeGreaterThan(15);
  // There is no mailbox.
  const failing = ['broken_get', 'mailbox_getImap'];
  for (const { name } of simple) {
    // The client compares the result with the schema.
    const { isError = false } = await call(agent, name);
    expect({ name, isError }).toEqual({ name, isError: failing.includes(name) });
  }
});

test('invalid arguments are reported to the agent by field, and unknown ones are not ignored', async () => {
  const order = { customer: { phone: '+919812345678' }, items: [{ name: 'Tea', quantity: 0, price: 5 }] };
  const invalid = readError(await call(agent, 'orders_create', order));
  expect(invalid).toMatchObject({ code: 'http.validation_failed', error_codes: { 'items.0.quantity': ['too_small'] } });
  expect(readError(await call(agent, 'products_list', { colour: 'red' }))).toEqual({
    code: 'http.validation_failed',
    message: 'There is no field colour.',
    errors: { colour: ['There is no field colour.'] },
    error_codes: { colour: ['unknown'] },
  });
  expect(readError(await call(agent, 'settings_get', { key: 'x' })).error_codes).toEqual({ key: ['unknown'] });
  const missing = readError(await call(agent, 'orders_get', { id: '0190a000-0000-7000-8000-000000000000' }));
  expect(missing).toMatchObject({ code: 'orders.not_found', message: expect.stringContaining('0190a000') });
});

test('an agent gets only the declared fields of a response', async () => {
  expect((await call(agent, 'chatty_get')).content).toEqual([{ type: 'text', text: '{"name":"Tea"}' }]);
});

test('a personal access token opens the tools of its scopes only', async () => {
  const { body } = await owner.post('/api/v1/profile/tokens', { name: 'agent', scopes: ['products.view'] });
  const names = await toolNames(owner, { authorization: `Bearer ${body.access_token}` });
  expect(names).toContain('products_list');
  // Discounts need the same permission; every member may call the others.
  const views = ['views_create', 'views_delete', 'views_list', 'views_update'];
  const others = ['pricing_getDiscount', 'pricing_listDiscounts', 'realtime_config', ...views];
  expect(names.filter((name) => !name.startsWith('products_')).sort()).toEqual(others);
  expect(names).not.toContain('products_create');
});

test('an internal error does not reveal its cause to the agent', async () => {
  const result = await call(agent, 'broken_get');
  expect(readError(result)).toEqual({ code: 'http.internal', message: expect.stringMatching(/^An internal error/) });
  expect(JSON.stringify(result)).not.toMatch(/hunter2|\.ts/);
});

test('a Viewer can change only their own notifications, preferences, devices, views and what they have read, and is refused another tool that changes something', async () => {
  const viewer = await connect(await platform.person({ tenant: acme, role: 'Viewer' }));
  const { tools } = await viewer.listTools();
  expect(tools.length).toBeGreaterThan(15);
  const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
  expect(changing.sort()).toEqual([
    'conversations_markRead',
    'notifications_delete',
    'notifications_deleteDevice',
    'notifications_markAllRead',
    'notifications_markRead',
    'notifications_registerDevice',
    'notifications_updatePreferences',
    'views_create',
    'views_delete',
    'views_update',
  ]);
  expect(readError(await call(viewer, 'products_create', { title: 'Ink', sku: 'INK', price: 1 }))).toEqual({
    code: 'auth.forbidden',
    message: 'This needs the permission products.create.',
  });
  expect((await owner.get('/api/v1/products/lookup?sku=INK')).status).toBe(404);
});

test('what is not a tool cannot be called: unknown names, sign-in, files and the gateway itself', async () => {
  for (const name of [
    'orders_fly',
    'auth_login',
    'profile_createToken',
    'customers_export',
    'mcp_handle',
    'orders_count',
  ]) {
    expect(readError(await call(agent, name)).code).toBe('actions.not_found');
  }
});

/** A call over REST that finds nothing and changes nothing: ids that do not exist, and an empty body. */
async function isAllowedOverRest(person: Person, one: RegisteredAction): Promise<boolean> {
  const { method = 'GET', path } = one;
  const target = path.replace(/:\w+/g, '0190a000-0000-7000-8000-000000000000');
  const { status } = await person.request({ method, url: target, ...(takesBody(one) ? { payload: {} } : {}) });
  return status !== 403;
}

test.each(['Owner', 'Admin', 'Manager', 'Agent', 'Viewer'])(
  'the tools of the role %s are what REST allows it',
  async (role) => {
    const person = await platform.person({ tenant: acme, role });
    const listed = await toolNames(person);
    const offered = kernel.actions.filter(
      ({ method, tenant = 'required', file, accepts = 'json', unchecked, webPage, allowsOrigin }) =>
        method && tenant === 'required' && accepts === 'json' && !file && !unchecked && !webPage && !allowsOrigin,
    );
    const allowed: string[] = [];
    for (const one of offered) if (await isAllowedOverRest(person, one)) allowed.push(toolName(one.name));
    expect(listed.sort()).toEqual(allowed.sort());
  },
);

test('tools of a module that the tenant does not have are not listed', async () => {
  const small = await platform.tenant();
  const person = await platform.person({ tenant: small });
  await enable(person);
  await kernel.installations.set(small.id, 'orders', 'disabled');
  const client = await connect(person, small);
  const names = await toolNames(person);
  expect(names).toContain('customers_list');
  expect(names.filter((name) => name.startsWith('orders_'))).toEqual([]);
  expect(readError(await call(client, 'orders_list')).code).toBe('modules.not_installed');
});

test('tools are named, described and annotated', async () => {
  const { tools } = await agent.listTools();
  for (const { name, title, description } of tools) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(title).toMatch(/^[A-Z]/);
    expect(description).toContain(title);
  }
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  const tool = tools.find(({ name }) => name === 'orders_refund');
  expect(tool).toMatchObject({
    title: 'Refund an order',
    inputSchema: { type: 'object', required: ['id'], additionalProperties: false },
    outputSchema: { type: 'object', properties: { message: { type: 'string' }, order: { type: 'object' } } },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  });
  const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
  expect(destructive).toEqual(
    expect.arrayContaining([
      'orders_cancel',
      'orders_delete',
      'customers_merge',
      'customers_removeTags',
      'team_remove',
    ]),
  );
  expect(destructive).not.toContain('customers_previewMerge');
});

test('calls of agents are in the audit log, refused ones too', async () => {
  const { structuredContent } = await call(agent, 'products_create', { title: 'Jute bag', sku: 'BAG', price: '3.00' });
  const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
  await call(await connect(viewer), 'products_create', { title: 'Ink', sku: 'INK', price: 1 });
  const [refused, created] = await auditEntries(platform, owner, 'products.create');
  expect(refused).toMatchObject({ transport: 'mcp', outcome: 'refused', user_id: viewer.id });
  const product = { transport: 'mcp', outcome: 'ok', user_id: owner.id, resource_id: structuredContent.product.id };
  expect(created).toMatchObject(product);
  expect(await auditEntries(platform, owner, 'mcp.handle')).toEqual([]);
});

test('a call counts once against the rate limit of the user', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'products_list', arguments: {} } };
  const [before, after] = [await send(message), await send(message)].map(
    ({ headers }) => headers['ratelimit-remaining'],
  );
  expect(Number(before) - Number(after)).toBe(1);
});

test('a token opens no other tenant', async () => {
  const bazaar = await platform.tenant();
  await enable(await platform.person({ tenant: bazaar }));
  await expect(connect(owner, bazaar)).rejects.toThrow(/not a member/);
});

test('a revoked token is refused with the next call', async () => {
  const person = await platform.person({ tenant: acme });
  const client = await connect(person);
  expect((await call(client, 'orders_list')).isError).toBeUndefined();
  await person.post('/api/v1/auth/logout', { refresh_token: person.refreshToken });
  await expect(call(client, 'orders_list')).rejects.toMatchObject({ status: 401 });
});

test('a client that prefers the protocol of 2026 falls back to the one with a handshake', async () => {
  const client = await connect(owner, acme, { versionNegotiation: { mode: 'auto' } });
  expect(client.getProtocolEra()).toBe('legacy');
  expect((await call(client, 'orders_list')).isError).toBeUndefined();
});

test('there is no stream and no session: GET and DELETE are not allowed', async () => {
  for (const method of ['GET', 'DELETE'] as const) {
    const { status, headers } = await owner.request({ method, url: '/mcp' });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'POST' });
  }
  expect((await send({ jsonrpc: '2.0', id: 1, method: 'ping' })).headers['mcp-session-id']).toBeUndefined();
});

test('messages are handled one by one; batches and malformed ones are refused', async () => {
  const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
  expect(await send(ping)).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 7, result: {} } });
  expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202, body: '' });
  for (const message of [[ping, ping], [], {}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { ...ping, id: null }]) {
    expect(await send(message)).toMatchObject({
      status: 400,
      body: { code: 'mcp.invalid_message', jsonrpc: '2.0', id: null, error: { code: -32700 } },
    });
  }
  expect((await send({ ...ping, method: 'resources/list' })).body.error.code).toBe(-32601);
  const nameless = await send({ ...ping, method: 'tools/call', params: { name: 5 } });
  expect(nameless.body.error.message).toContain('expected string');
  expect(await send(ping, { accept: 'application/json' })).toMatchObject({ status: 406, body: { id: null } });
  expect((await send(ping, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
});
