import { randomUUID } from 'node:crypto';
import { action, permissionsFor, signedIn, sql, type TSchema } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { callAction } from '../../server/src/actions/call.ts';
import type { RegisteredAction } from '../../server/src/actions/registry.ts';
import { resolveCaller } from '../../server/src/actions/resolve-caller.ts';
import { takesBody } from '../../server/src/http/read-input.ts';
import { startAccounts } from '../../server/testing/accounts.ts';
import type { TestResponse, TestTenant } from '../../server/testing/platform.ts';
import { getAccounts } from './accounts/accounts.ts';
import { addMember, createUser } from './accounts/users.ts';

/**
 * Calls every action as each role, as a non-member and anonymously, and sends one request to each: all transports use the
 * same call. The expectations repeat the contract instead of reading the code; `*` marks sensitive permissions.
 */
const contract = `
customers (7): customers.view, customers.create, customers.edit, customers.delete*, customers.export, customers.merge*, customers.view_sensitive*
orders (7): orders.view, orders.create, orders.edit, orders.cancel, orders.refund*, orders.delete*, orders.export
products (6): products.view, products.create, products.edit, products.delete*, products.import, products.export
conversations (6): conversations.view, conversations.reply, conversations.assign, conversations.close, conversations.delete*, conversations.export
notifications (5): notifications.view, notifications.send, notifications.broadcast*, notifications.rules.manage, notifications.templates.manage
team (7): team.view, team.invite, team.edit, team.remove*, team.roles.view, team.roles.assign*, team.roles.manage*
settings (6): settings.view, settings.edit, settings.domains*, settings.security*, settings.billing*, settings.api_clients*
modules (5): modules.view, modules.install*, modules.configure, modules.enable, modules.uninstall*
graphql (5): graphql.playground.access, graphql.schema.view, graphql.persisted.view, graphql.persisted.manage, graphql.settings.manage
reseller (5): reseller.applications.view, reseller.applications.review*, reseller.referral_codes.manage, reseller.catalogue.manage, reseller.tenants.view
audit (5): audit.view, audit.export, activity.view, activity.export, reports.view
platform (4): platform.releases.view, platform.releases.manage*, platform.rings.view, platform.rings.manage*`;

const categories = contract
  .trim()
  .split('\n')
  .map((line) => {
    const [, category = '', count, list = ''] = /^(\w+) \((\d)\): (.*)$/.exec(line) ?? [];
    return { category, count: Number(count), entries: list.split(', ') };
  });
const permissions = categories.flatMap(({ category, entries }) =>
  entries.map((entry) => ({ name: entry.replace('*', ''), category, is_sensitive: entry.endsWith('*') })),
);
const names = permissions.map(({ name }) => name);

const roles: Record<string, readonly string[]> = {
  Owner: names,
  Admin: names.filter((name) => name !== 'settings.billing' && name !== 'platform.rings.manage'),
  Manager: words(`
    customers.view customers.create customers.edit customers.export
    orders.view orders.create orders.edit orders.export
    products.view products.create products.edit products.export
    conversations.view conversations.export
    notifications.view notifications.send notifications.broadcast notifications.rules.manage
    notifications.templates.manage team.view reports.view activity.view`),
  Agent: words(`
    customers.view customers.create customers.edit orders.view orders.create orders.edit products.view
    conversations.view conversations.reply conversations.assign conversations.close notifications.view`),
  Viewer: words(`
    customers.view orders.view products.view conversations.view notifications.view team.view team.roles.view
    settings.view modules.view graphql.schema.view graphql.persisted.view reseller.applications.view
    reseller.tenants.view audit.view activity.view reports.view platform.releases.view platform.rings.view`),
};

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** One action for each permission, so that permissions without actions are tested too. */
const probes = names.map((needs) => ({
  needs,
  path: `/probe/${needs.replaceAll('_', '-')}` as const,
}));
const probeActions = Object.fromEntries(
  probes.map(({ needs, path }) => [
    `probe.${needs}`,
    action({ summary: `Try ${needs}`, http: `GET ${path}`, needs, run: async () => ({}) }),
  ]),
);

const platform = await startAccounts({ actions: probeActions, environment: { RATE_LIMIT_PER_MINUTE: '0' } });
const { kernel } = platform;
const actions = kernel.actions.filter(({ name }) => !name.startsWith('probe.'));
const served = actions.filter(({ method }) => method !== undefined);
const onBus = actions.filter(({ bus }) => bus !== undefined);

const merchant = await newTenant('merchant');
const reseller = await newTenant('reseller');
const strangersTenant = await platform.tenant();

/** With all modules enabled: actions of other modules are 404. */
async function newTenant(role: 'merchant' | 'reseller'): Promise<TestTenant> {
  const tenant = await platform.tenant({ role });
  for (const { alias, manifest } of kernel.modules) {
    if (!manifest.system) await kernel.installations.set(tenant.id, alias, 'enabled');
  }
  return tenant;
}

/** Permissions that modules add to the 68. Owner and Admin hold them; Viewer holds those that end in `.view`. */
const added = kernel.services.permissions.map(({ name }) => name).filter((name) => !names.includes(name));

function listPermissions(role: string): string[] {
  const ofModules = ['Owner', 'Admin'].includes(role)
    ? added
    : added.filter((name) => role === 'Viewer' && name.endsWith('.view'));
  return [...(roles[role] ?? []), ...ofModules];
}

function holds(role: string, permission: string, { role: tenantRole }: TestTenant): boolean {
  const acts = tenantRole !== 'merchant' || !/^(reseller|platform)\./.test(permission);
  return acts && listPermissions(role).includes(permission);
}

function may(role: string, action: RegisteredAction, tenant: TestTenant): boolean {
  return permissionsFor(action).some((permission) => holds(role, permission, tenant));
}

/** A token of a new user, because a call may end its session. */
async function createToken(tenant: TestTenant, role: string): Promise<string> {
  const { sessions } = getAccounts(kernel.services);
  const email = `${randomUUID()}@example.com`;
  const userId = (await createUser(kernel.central.db, { name: role, email, emailVerified: true })) as number;
  await addMember(kernel.central.db, { userId, tenantId: tenant.id, role });
  const client = { address: '', network: '', userAgent: undefined };
  return (await sessions.openBriefly({ userId, kind: 'login', client })).access_token;
}

const sharedTokens = new Map<string, Promise<string>>();

/** The token of one user for each tenant and role, for calls that do not end sessions: opening one is slow. */
function getSharedToken(tenant: TestTenant, role: string): Promise<string> {
  const key = `${tenant.id} ${role}`;
  const token = sharedTokens.get(key) ?? createToken(tenant, role);
  sharedTokens.set(key, token);
  return token;
}

/** A call that finds nothing and changes nothing: ids that do not exist, and an empty body. */
function call(one: RegisteredAction) {
  const { method, path, input, accepts } = one;
  const url = path.replace(/:(\w+)/g, (_, name: string) => createDummy(input?.properties[name]));
  const payload = accepts === 'csv' ? 'nothing\r\n' : '{}';
  const type = accepts === 'csv' ? 'text/csv' : 'application/json';
  return (headers: Record<string, string>): Promise<TestResponse> => {
    const options = { method: method as NonNullable<typeof method>, url, headers };
    if (!takesBody(one)) return platform.request(options);
    return platform.request({ ...options, payload, headers: { ...headers, 'content-type': type } });
  };
}

function createDummy(schema: (TSchema & { type?: string; format?: string }) | undefined): string {
  if (schema?.format === 'uuid') return '0190a000-0000-7000-8000-000000000000';
  return schema?.type === 'integer' ? '999999999' : 'nothing-of-this-name';
}

function as(token: string, tenant: TestTenant): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-tenant': tenant.id };
}

const needsPermission = (action: RegisteredAction) => permissionsFor(action).length > 0;
const needing = served.filter(needsPermission);
const forAnyoneSignedIn = served.filter(({ needs }) => needs === signedIn);
const forAnyone = served.filter((one) => one.public);

test('there are exactly the 68 permissions of the contract, in order and by category', async () => {
  expect(names).toHaveLength(68);
  expect(new Set(names).size).toBe(68);
  expect(categories).toHaveLength(12);
  for (const { entries, count } of categories) expect(entries).toHaveLength(count);
  const owner = await platform.person({ tenant: merchant });
  const { body } = await owner.get('/api/v1/permissions');
  const described = permissions.map((permission) => ({ ...permission, description: expect.stringMatching(/^[A-Z]/) }));
  expect(body.permissions.slice(0, 68)).toEqual(described);
  expect(body.permissions.slice(68)).toEqual(added.map((name) => expect.objectContaining({ name })));
});

test('the five system roles hold the permissions of the contract', async () => {
  const owner = await platform.person({ tenant: merchant });
  const { body } = await owner.get('/api/v1/roles');
  const held = body.roles.map((role: { name: string; permissions: string[] }) => [role.name, role.permissions.sort()]);
  expect(Object.fromEntries(held)).toEqual(
    Object.fromEntries(Object.keys(roles).map((role) => [role, listPermissions(role).toSorted()])),
  );
  const inDatabase = await kernel.central.db.rows<{ name: string }>(
    sql`SELECT name FROM roles WHERE tenant_id IS NULL`,
  );
  expect(inDatabase.map(({ name }) => name).sort()).toEqual(Object.keys(roles).sort());
});

test('every action needs an existing permission or a signed-in user, or is public, and can be called', () => {
  const known = new Set([...names, ...added]);
  const unknown = actions.filter((action) => permissionsFor(action).some((permission) => !known.has(permission)));
  expect(unknown.map(({ name }) => name)).toEqual([]);
  expect(needing.length).toBeGreaterThan(20);
  expect(needing.length + forAnyoneSignedIn.length + forAnyone.length).toBe(served.length);
  expect(actions.filter((one) => !reachable.includes(one) && !one.internal)).toEqual([]);
});

test('operations for other modules can be called by no one outside', async () => {
  const operations = actions.filter(({ internal }) => internal);
  expect(operations.length).toBeGreaterThan(10);
  for (const one of operations) expect(one).toMatchObject({ method: undefined, path: '' });
  expect(operations.filter((one) => one.needs || one.public || one.bus || one.graphql)).toEqual([]);
  const owner = as(await getSharedToken(merchant, 'Owner'), merchant);
  const { body: sdl } = await platform.request({ url: '/api/v1/graphql/schema', headers: owner });
  expect(sdl).toMatch(/\borders_list\b/);
  const fields = operations.map(({ name }) => name.replace(/[.-]/g, '_'));
  expect(fields.filter((field) => new RegExp(`\\b${field}\\b`).test(sdl))).toEqual([]);
});

test.each(Object.keys(roles))(
  '%s has access exactly where the role allows, for each of the 68 permissions, in every kind of tenant',
  async (role) => {
    for (const tenant of [merchant, reseller]) {
      const token = await createToken(tenant, role);
      const wrong: string[] = [];
      for (const { path, needs } of probes) {
        const { status } = await platform.request({ method: 'GET', url: `/api/v1${path}`, headers: as(token, tenant) });
        if (status !== (holds(role, needs, tenant) ? 200 : 403)) wrong.push(`${needs}: ${status}`);
      }
      expect(wrong).toEqual([]);
    }
  },
);

/** The outcome of a call: an error code, or `allowed` if the action would run. */
async function tryCall(action: RegisteredAction, tenant: TestTenant, caller: Caller): Promise<string> {
  const allowed = new Error('allowed');
  const stop = () => {
    throw allowed;
  };
  const call = {
    ...caller,
    requestId: 'test',
    module: undefined,
    knownInput: {},
    isAudited: false,
    action,
    tenant,
    transport: 'rest',
    readInput: stop,
    createContext: stop,
  } as const;
  return callAction(kernel, call).then(String, (error) => (error === allowed ? 'allowed' : error.code));
}
type Caller = Awaited<ReturnType<typeof findCaller>>;

async function findCaller(token: string | undefined, tenant: TestTenant) {
  return resolveCaller(kernel.identity, token, tenant);
}

const reachable = [...new Set([...served, ...onBus])];

test.each(reachable)('$name is allowed only for whom it is declared', async (one) => {
  const isOpen = !needsPermission(one);
  const anonymous = await findCaller(undefined, merchant);
  expect(await tryCall(one, merchant, anonymous)).toBe(one.public ? 'allowed' : 'auth.unauthenticated');
  const stranger = await findCaller(await getSharedToken(strangersTenant, 'Owner'), merchant);
  const isForMembers = !one.public && one.tenant !== 'none';
  expect(await tryCall(one, merchant, stranger)).toBe(isForMembers ? 'auth.not_a_member' : 'allowed');
  for (const tenant of [merchant, reseller]) {
    for (const role of Object.keys(roles)) {
      const member = await findCaller(await getSharedToken(tenant, role), tenant);
      const expected = isOpen || may(role, one, tenant) ? 'allowed' : 'auth.forbidden';
      expect(await tryCall(one, tenant, member), `${role} of a ${tenant.role}`).toBe(expected);
    }
  }
  const owner = await findCaller(await getSharedToken(merchant, 'Owner'), merchant);
  const others = new Set([...names, ...added].filter((name) => !permissionsFor(one).includes(name)));
  const without = { ...owner, membership: { role: 'Custom', permissions: others } };
  expect(await tryCall(one, merchant, without)).toBe(isOpen ? 'allowed' : 'auth.forbidden');
});

test.each(needing)('a request for $name is refused without $needs', async (one) => {
  const role = Object.keys(roles).find((name) => !may(name, one, merchant));
  const token = await (role ? getSharedToken(merchant, role) : getSharedToken(strangersTenant, 'Owner'));
  const { status, body } = await call(one)(as(token, merchant));
  const code = role ? 'auth.forbidden' : 'auth.not_a_member';
  expect({ status, code: body.code }).toEqual({ status: 403, code });
});

test.each(forAnyoneSignedIn)('a request for $name is refused without a token', async (one) => {
  const anonymous = await call(one)({ 'x-tenant': merchant.id });
  expect(anonymous).toMatchObject({
    status: 401,
    body: { code: 'auth.unauthenticated' },
    headers: { 'www-authenticate': expect.stringMatching(/^Bearer resource_metadata=/) },
  });
});

test.each(forAnyone)('$name does not require a sign-in', async (one) => {
  const tenant: Record<string, string> = one.tenant === 'none' ? {} : { 'x-tenant': merchant.id };
  const { status, body } = await call(one)(tenant);
  // An action that checks its own credentials may refuse them with its own code.
  expect(body.code).not.toBe('auth.unauthenticated');
  expect(status, JSON.stringify(body)).toBeLessThan(500);
});
