import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { auditEntries } from '../../../server/testing/audit-entries.ts';
import { uniqueId } from '../../../server/testing/platform.ts';
import { getAccounts } from '../accounts/accounts.ts';

const platform = await startAccounts();
const { central } = platform.kernel;
const secondProcess = await startAccounts({ sharedWith: platform });
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const admin = await platform.person({ tenant: acme, role: 'Admin' });
const other = await platform.tenant();
const otherOwner = await platform.person({ tenant: other });

interface Role {
  id: number;
  name: string;
  permissions: string[];
}

async function newRole(permissions: readonly string[], by: Person = owner): Promise<Role> {
  const { status, body } = await by.post('/api/v1/roles', { name: `role ${uniqueId()}`, permissions });
  expect(status).toBe(201);
  return body.role;
}

/** A member of acme with a role of its own. */
async function addMember(role: Role): Promise<Person> {
  const person = await platform.person({ tenant: acme, role: 'Viewer' });
  await central.db.run(sql`UPDATE memberships SET role_id = ${role.id} WHERE user_id = ${person.id}`);
  return person;
}

test('a tenant has the five system roles, followed by its own', async () => {
  const mine = await newRole(['team.view']);
  const { body } = await owner.get('/api/v1/roles');
  const names = body.roles.map(({ name }: Role) => name);
  expect(names.slice(0, 5)).toEqual(['Owner', 'Admin', 'Manager', 'Agent', 'Viewer']);
  expect(names).toContain(mine.name);
  expect(body.roles[0]).toMatchObject({ is_system: true, members: 1, description: 'Has every permission.' });
  expect(body.roles.find(({ id }: Role) => id === mine.id)).toEqual({
    id: mine.id,
    name: mine.name,
    description: '',
    is_system: false,
    permissions: ['team.view'],
    members: 0,
    updated_at: expect.stringMatching(/Z$/),
  });
  const theirs = await otherOwner.get('/api/v1/roles');
  expect(theirs.body.roles.map(({ name }: Role) => name)).not.toContain(mine.name);
});

test('a role can be created, read, updated and deleted, and each change is in the activity log', async () => {
  const created = await owner.post('/api/v1/roles', {
    name: '  Cashier ',
    description: 'At the till',
    permissions: ['orders.view', 'orders.create', 'orders.view'],
  });
  expect(created).toMatchObject({ status: 201, body: { message: 'Role created.', role: { name: 'Cashier' } } });
  const { id } = created.body.role;
  const url = `/api/v1/roles/${id}`;
  expect((await owner.get(url)).body.role.permissions).toEqual(['orders.create', 'orders.view']);
  const changed = await owner.patch(url, { name: 'Till', permissions: ['orders.view', 'products.view'] });
  expect(changed).toMatchObject({
    status: 200,
    body: { role: { name: 'Till', description: 'At the till', permissions: ['orders.view', 'products.view'] } },
  });
  expect((await owner.patch(url, {})).body.role).toEqual(changed.body.role);
  expect(await owner.delete(url)).toMatchObject({ status: 200, body: { message: 'Role deleted.' } });
  expect((await owner.get(url)).status).toBe(404);
  const { body } = await owner.get('/api/v1/activity?per_page=3');
  expect(body.activity).toMatchObject([
    { action: 'role_deleted', subject: null, details: { role_id: id, name: 'Till' } },
    {
      action: 'role_updated',
      details: { name: 'Till', was: 'Cashier', added: ['products.view'], removed: ['orders.create'] },
    },
    { action: 'role_created', details: { name: 'Cashier', permissions: ['orders.view', 'orders.create'] } },
  ]);
});

test.each([
  [{ permissions: [] }, 'name'],
  [{ name: 'A' }, 'permissions'],
  [{ name: '', permissions: [] }, 'name'],
  [{ name: '   ', permissions: [] }, 'name'],
  [{ name: '17', permissions: [] }, 'name'],
  [{ name: 'a\nb', permissions: [] }, 'name'],
  [{ name: 'x'.repeat(256), permissions: [] }, 'name'],
  [{ name: 'OWNER', permissions: [] }, 'name'],
  [{ name: ' viewer', permissions: [] }, 'name'],
  [{ name: 'A', permissions: ['team.view', 'team.fly'] }, 'permissions.1'],
  [{ name: 'A', permissions: 'team.view' }, 'permissions'],
  [{ name: 'A', permissions: [1] }, 'permissions.0'],
  [{ name: 'A', permissions: [], description: 'x'.repeat(501) }, 'description'],
])('a role with %j is refused', async (input, field) => {
  const { status, body } = await owner.post('/api/v1/roles', input);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
  const role = await newRole([]);
  if (Object.keys(input).length < 2) return;
  const changed = await owner.patch(`/api/v1/roles/${role.id}`, input);
  expect({ status: changed.status, fields: Object.keys(changed.body.errors) }).toEqual({
    status: 422,
    fields: [field],
  });
});

test('role names are unique within a tenant, ignoring case, also for concurrent requests', async () => {
  const name = `Name ${uniqueId()}`;
  const names = Array.from({ length: 6 }, (_, index) => (index % 2 ? name.toUpperCase() : name));
  const answers = await Promise.all(names.map((one) => owner.post('/api/v1/roles', { name: one, permissions: [] })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422]);
  expect((await otherOwner.post('/api/v1/roles', { name, permissions: [] })).status).toBe(201);
  const second = await newRole([]);
  const renamed = await owner.patch(`/api/v1/roles/${second.id}`, { name: name.toLowerCase() });
  expect(renamed).toMatchObject({ status: 422, body: { errors: { name: [expect.any(String)] } } });
});

test('system roles cannot be changed', async () => {
  const { body } = await owner.get('/api/v1/roles');
  for (const { id } of body.roles.slice(0, 5)) {
    for (const answer of [
      await owner.patch(`/api/v1/roles/${id}`, { permissions: [] }),
      await owner.delete(`/api/v1/roles/${id}`),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'identity.role_is_system' } });
    }
  }
});

test('a role of another tenant is not found', async () => {
  const { id } = await newRole([], otherOwner);
  expect((await owner.get(`/api/v1/roles/${id}`)).status).toBe(404);
  expect((await owner.patch(`/api/v1/roles/${id}`, { name: 'Mine' })).status).toBe(404);
  expect((await owner.delete(`/api/v1/roles/${id}`)).status).toBe(404);
  expect((await otherOwner.get(`/api/v1/roles/${id}`)).status).toBe(200);
});

test('a role with members cannot be deleted, and the error contains their number', async () => {
  const role = await newRole(['team.view']);
  await addMember(role);
  const one = await owner.delete(`/api/v1/roles/${role.id}`);
  expect(one).toMatchObject({ status: 409, body: { code: 'identity.role_in_use' } });
  expect(one.body.message).toContain('1 member.');
  await addMember(role);
  expect((await owner.delete(`/api/v1/roles/${role.id}`)).body.message).toContain('2 members');
});

test('deleting a role while it is assigned either fails or makes the assignment fail', async () => {
  for (let round = 0; round < 8; round += 1) {
    const role = await newRole(['team.view']);
    const person = await platform.person({ tenant: acme, role: 'Viewer' });
    const [assigned, deleted] = await Promise.all([
      owner.patch(`/api/v1/team/${person.id}`, { role: role.id }),
      owner.delete(`/api/v1/roles/${role.id}`),
    ]);
    expect([
      [200, 409],
      [422, 200],
    ]).toContainEqual([assigned.status, deleted.status]);
  }
});

test('a caller cannot add a permission that it lacks to a role', async () => {
  const created = await admin.post('/api/v1/roles', { name: 'Accountant', permissions: ['settings.billing'] });
  expect(created).toMatchObject({ status: 403, body: { code: 'identity.permission_beyond_caller' } });
  expect(created.body.message).toContain('settings.billing');
  const role = await newRole(['team.view'], admin);
  const changed = await admin.patch(`/api/v1/roles/${role.id}`, { permissions: ['team.view', 'settings.billing'] });
  expect(changed.status).toBe(403);
});

test('a caller cannot extend its own role', async () => {
  const role = await newRole(['team.roles.manage', 'team.view']);
  const holder = await addMember(role);
  const url = `/api/v1/roles/${role.id}`;
  expect((await holder.patch(url, { permissions: [...role.permissions, 'orders.view'] })).status).toBe(403);
  expect((await holder.patch(url, { permissions: ['team.roles.manage'] })).status).toBe(200);
});

test('a caller cannot change or delete a role with permissions that it lacks', async () => {
  const high = await newRole(['settings.billing', 'team.view']);
  for (const answer of [
    await admin.patch(`/api/v1/roles/${high.id}`, { permissions: ['team.view'] }),
    await admin.patch(`/api/v1/roles/${high.id}`, { name: 'Low' }),
    await admin.delete(`/api/v1/roles/${high.id}`),
  ]) {
    expect(answer).toMatchObject({ status: 403, body: { code: 'identity.role_beyond_caller' } });
  }
});

test('a scoped token can grant only permissions within its scopes', async () => {
  const { sessions } = getAccounts(platform.kernel.services);
  const client = { address: '', network: '', userAgent: undefined };
  const scopes = ['team.roles.manage', 'team.view'];
  const { token } = await sessions.issuePersonal({ userId: owner.id, kind: 'personal', scopes, client });
  const create = (permissions: string[]) =>
    owner.post('/api/v1/roles', { name: `role ${uniqueId()}`, permissions }, { authorization: `Bearer ${token}` });
  expect((await create(['team.view'])).status).toBe(201);
  expect((await create(['team.edit'])).status).toBe(403);
});

test("reseller permissions cannot be granted in a merchant's tenant", async () => {
  const { status } = await owner.post('/api/v1/roles', { name: 'Dealer', permissions: ['reseller.tenants.view'] });
  expect(status).toBe(403);
  const reseller = await platform.tenant({ role: 'reseller' });
  const dealer = await platform.person({ tenant: reseller });
  expect((await dealer.post('/api/v1/roles', { name: 'Dealer', permissions: ['reseller.tenants.view'] })).status).toBe(
    201,
  );
});

test('a change of a role applies to all its members within a second, in every process', async () => {
  const role = await newRole(['team.view']);
  const holder = await addMember(role);
  const ask = (at: typeof platform, url: string) =>
    at.request({ method: 'GET', url, headers: { authorization: `Bearer ${holder.accessToken}`, 'x-tenant': acme.id } });
  const processes = [platform, secondProcess];
  for (const process of processes) {
    await expect.poll(async () => (await ask(process, '/api/v1/team')).status).toBe(200);
    expect((await ask(process, '/api/v1/roles')).status).toBe(403);
  }
  await owner.patch(`/api/v1/roles/${role.id}`, { permissions: ['team.roles.view'] });
  for (const process of processes) {
    await expect.poll(async () => (await ask(process, '/api/v1/roles')).status, { timeout: 1_000 }).toBe(200);
    expect((await ask(process, '/api/v1/team')).status).toBe(403);
  }
});

test('the number of custom roles of a tenant is limited', async () => {
  const crowded = await platform.tenant();
  const person = await platform.person({ tenant: crowded });
  await central.db.run(sql`
    INSERT INTO roles (tenant_id, name) SELECT ${crowded.id}, 'role ' || n FROM generate_series(1, 100) n`);
  const { status, body } = await person.post('/api/v1/roles', { name: 'One more', permissions: [] });
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'identity.too_many_roles' });
});

test('all errors of a role are reported in one response', async () => {
  const { name } = await newRole([]);
  const permissions = ['team.view', 'team.fly', 'team.swim'];
  const unknown = { 'permissions.1': ['not_allowed'], 'permissions.2': ['not_allowed'] };
  const { status, body } = await owner.post('/api/v1/roles', { name: name.toUpperCase(), permissions });
  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: { name: ['taken'], ...unknown } });
  const role = await newRole([]);
  const changed = await owner.patch(`/api/v1/roles/${role.id}`, { name, permissions, description: 'x'.repeat(501) });
  expect(changed.body.error_codes).toEqual({ name: ['taken'], description: ['too_long'], ...unknown });
});

test('a role can be saved with its own name in another case', async () => {
  const role = await newRole(['team.view']);
  const name = role.name.toUpperCase();
  const { status, body } = await owner.patch(`/api/v1/roles/${role.id}`, { name, permissions: ['team.fly'] });
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['permissions.0'] });
  expect((await owner.patch(`/api/v1/roles/${role.id}`, { name })).body.role.name).toBe(name);
});

test('a change based on an outdated version of a role is refused', async () => {
  const { id } = await newRole(['team.view']);
  const url = `/api/v1/roles/${id}`;
  const old = { 'if-match': (await owner.get(url)).headers.etag as string };
  const changed = await owner.patch(url, { permissions: ['team.view', 'team.edit'] }, old);
  expect(changed.status).toBe(200);
  expect((await owner.patch(url, { permissions: [] }, old)).status).toBe(412);
  expect((await owner.delete(url, undefined, old)).status).toBe(412);
  expect((await owner.get(url)).body.role.permissions).toEqual(['team.edit', 'team.view']);
  expect((await owner.delete(url, undefined, { 'if-match': changed.headers.etag as string })).status).toBe(200);
});

test('the audit log contains the permissions of a role before and after a change', async () => {
  const { id, name } = await newRole(['orders.view']);
  await owner.patch(`/api/v1/roles/${id}`, { permissions: ['orders.view', 'orders.edit'] });
  await owner.patch(`/api/v1/roles/${id}`, { name: 'Audited', description: 'x' });
  await owner.delete(`/api/v1/roles/${id}`);
  const permissions = ['orders.edit', 'orders.view'];
  const updates = await auditEntries(platform, owner, 'roles.update');
  expect(updates.slice(0, 2)).toMatchObject([
    { resource_id: String(id), changes: { name: [name, 'Audited'], description: ['', 'x'] } },
    { resource_id: String(id), changes: { permissions: [['orders.view'], permissions] } },
  ]);
  expect((await auditEntries(platform, owner, 'roles.delete'))[0]).toMatchObject({
    resource_id: String(id),
    user_id: owner.id,
    changes: { name: ['Audited', null], description: ['x', null], permissions: [permissions, null] },
  });
});
