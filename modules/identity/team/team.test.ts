import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { type Person, startAccounts } from '../../../server/testing/accounts.ts';
import { auditEntries } from '../../../server/testing/audit-entries.ts';
import { type TestTenant, uniqueId } from '../../../server/testing/platform.ts';
import { readByCursor } from '../../../server/testing/read-by-cursor.ts';
import { addMember } from '../accounts/users.ts';

const platform = await startAccounts();
const { central } = platform.kernel;
const secondProcess = await startAccounts({ sharedWith: platform });

/** A tenant with its Owner. */
async function newTeam() {
  const tenant = await platform.tenant();
  return { tenant, owner: await platform.person({ tenant, name: 'Olga Owner' }) };
}

async function customRole(owner: Person, ...permissions: string[]): Promise<{ id: number; name: string }> {
  const { body } = await owner.post('/api/v1/roles', { name: `role ${uniqueId()}`, permissions });
  return body.role;
}

/** A member with a role of the tenant's own. */
async function memberWith(tenant: TestTenant, owner: Person, ...permissions: string[]): Promise<Person> {
  const { id: role } = await customRole(owner, ...permissions);
  const person = await platform.person({ tenant, role: 'Viewer' });
  expect((await owner.patch(`/api/v1/team/${person.id}`, { role })).status).toBe(200);
  return person;
}

function readRole(owner: Person, { id }: Person): Promise<string> {
  return owner.get(`/api/v1/team/${id}`).then(({ body }) => body.member.role);
}

const { tenant: acme, owner } = await newTeam();
const admin = await platform.person({ tenant: acme, role: 'Admin', name: 'Anil Admin' });
const agent = await platform.person({ tenant: acme, role: 'Agent', name: 'Bela 100%_Agent', verified: false });

test('members are listed page by page', async () => {
  const { status, body } = await owner.get('/api/v1/team?per_page=2&sort_by=email');
  const emails = [owner, admin, agent].map(({ email }) => email).sort();
  expect(status).toBe(200);
  expect(body.pagination).toEqual({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
  expect(body.team.map(({ email }: Person) => email)).toEqual(emails.slice(0, 2));
  const second = await owner.get('/api/v1/team?per_page=2&page=2&sort_by=email');
  expect(second.body.team.map(({ email }: Person) => email)).toEqual(emails.slice(2));
});

test('a member is shown with its role and last activity', async () => {
  const { body } = await owner.get(`/api/v1/team/${agent.id}`);
  expect(body.member).toEqual({
    id: agent.id,
    name: 'Bela 100%_Agent',
    email: agent.email,
    role: 'Agent',
    email_verified: false,
    two_factor_enabled: false,
    joined_at: expect.stringMatching(/Z$/),
    last_active_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  });
});

test.each([
  ['search=anil', ['Anil Admin']],
  ['search=OWNER', ['Olga Owner']],
  ['search=100%25_', ['Bela 100%_Agent']],
  ['search=_____', []],
  ['search=example.com', ['Anil Admin', 'Bela 100%_Agent', 'Olga Owner']],
  ['role=admin', ['Anil Admin']],
  ['role=nothing', []],
  ['role=Admin&search=olga', []],
  ['sort_by=name&sort_order=desc', ['Olga Owner', 'Bela 100%_Agent', 'Anil Admin']],
  ['sort_by=role', ['Anil Admin', 'Bela 100%_Agent', 'Olga Owner']],
  ['sort_by=joined_at', ['Olga Owner', 'Anil Admin', 'Bela 100%_Agent']],
  ['sort_by=last_active_at&sort_order=desc', ['Olga Owner', 'Bela 100%_Agent', 'Anil Admin']],
])('the list with %s finds %j', async (query, names) => {
  const { body } = await owner.get(`/api/v1/team?${query}`);
  expect(body.team.map(({ name }: Person) => name)).toEqual(names);
});

test('members can be filtered by the id of a role', async () => {
  const { body } = await owner.get('/api/v1/roles');
  const { id } = body.roles.find(({ name }: { name: string }) => name === 'Agent');
  const found = await owner.get(`/api/v1/team?role=${id}`);
  expect(found.body.team.map(({ name }: Person) => name)).toEqual(['Bela 100%_Agent']);
});

test.each([
  ['per_page=101', 'per_page'],
  ['per_page=0', 'per_page'],
  ['page=0', 'page'],
  ['page=x', 'page'],
  ['sort_by=password_hash', 'sort_by'],
  ['sort_order=up', 'sort_order'],
])('the list refuses %s', async (query, field) => {
  const { status, body } = await owner.get(`/api/v1/team?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test.each([
  [{}, 'role'],
  [{ role: '' }, 'role'],
  [{ role: null }, 'role'],
  [{ role: 'Emperor' }, 'role'],
  [{ role: 0 }, 'role'],
  [{ role: 999_999_999 }, 'role'],
  [{ role: ['Owner'] }, 'role'],
])('changing the role of a member to %j is refused', async (body, field) => {
  const answer = await owner.patch(`/api/v1/team/${agent.id}`, body);
  expect({ status: answer.status, fields: Object.keys(answer.body.errors) }).toEqual({ status: 422, fields: [field] });
});

test('users of other tenants and API clients are not found in the team', async () => {
  const other = await newTeam();
  const service = await central.db.row<{ id: number }>(sql`
    WITH service AS (INSERT INTO users (kind, name) VALUES ('service', 'Till') RETURNING id)
    INSERT INTO memberships (user_id, tenant_id, permissions) SELECT id, ${acme.id}, '{team.view}' FROM service
    RETURNING user_id AS id`);
  for (const id of [other.owner.id, service?.id, 999_999_999]) {
    expect((await owner.get(`/api/v1/team/${id}`)).status).toBe(404);
    expect((await owner.patch(`/api/v1/team/${id}`, { role: 'Viewer' })).status).toBe(404);
    expect((await owner.delete(`/api/v1/team/${id}`)).status).toBe(404);
  }
  const { body } = await owner.get('/api/v1/team');
  expect(body.team.map(({ id }: Person) => id)).not.toContain(service?.id);
});

test('a role can be assigned by name or id and applies in every process within a second', async () => {
  const person = await platform.person({ tenant: acme, role: 'Viewer' });
  const headers = { authorization: `Bearer ${person.accessToken}`, 'x-tenant': acme.id };
  const elsewhere = () => secondProcess.request({ method: 'GET', url: '/api/v1/activity/export', headers });
  expect((await elsewhere()).status).toBe(403);
  const { status, body } = await owner.patch(`/api/v1/team/${person.id}`, { role: 'admin' });
  expect({ status, role: body.member.role, message: body.message }).toEqual({
    status: 200,
    role: 'Admin',
    message: 'Role changed.',
  });
  await expect.poll(async () => (await elsewhere()).status, { timeout: 1_000 }).toBe(200);
  const { id, name } = await customRole(owner, 'team.view');
  expect((await owner.patch(`/api/v1/team/${person.id}`, { role: id })).body.member.role).toBe(name);
  await expect.poll(async () => (await elsewhere()).status, { timeout: 1_000 }).toBe(403);
  expect((await owner.patch(`/api/v1/team/${person.id}`, { role: String(id) })).status).toBe(200);
});

test('a role of another tenant cannot be assigned', async () => {
  const other = await newTeam();
  const { id, name } = await customRole(other.owner, 'team.view');
  for (const role of [id, name]) {
    expect((await owner.patch(`/api/v1/team/${agent.id}`, { role })).status).toBe(422);
  }
});

test('assigning a role needs team.roles.assign', async () => {
  const editor = await memberWith(acme, owner, 'team.view', 'team.edit');
  const { status, body } = await editor.patch(`/api/v1/team/${agent.id}`, { role: 'Viewer' });
  expect({ status, message: body.message }).toEqual({
    status: 403,
    message: 'This needs the permission team.roles.assign.',
  });
});

test('an Admin cannot appoint, change or remove an Owner', async () => {
  const second = await platform.person({ tenant: acme });
  const answers = [
    await admin.patch(`/api/v1/team/${agent.id}`, { role: 'Owner' }),
    await admin.patch(`/api/v1/team/${admin.id}`, { role: 'Owner' }),
    await admin.patch(`/api/v1/team/${second.id}`, { role: 'Viewer' }),
    await admin.delete(`/api/v1/team/${second.id}`),
  ];
  for (const { status, body } of answers) {
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'identity.role_beyond_caller' });
    expect(body.message).toContain('settings.billing');
  }
  expect(await readRole(owner, second)).toBe('Owner');
  expect((await admin.patch(`/api/v1/team/${agent.id}`, { role: 'Admin' })).status).toBe(200);
  expect((await admin.patch(`/api/v1/team/${agent.id}`, { role: 'Agent' })).status).toBe(200);
});

test('the last Owner can be neither demoted nor removed, but a second one can', async () => {
  const team = await newTeam();
  const self = `/api/v1/team/${team.owner.id}`;
  for (const answer of [await team.owner.patch(self, { role: 'Admin' }), await team.owner.delete(self)]) {
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 409, code: 'identity.last_owner' });
  }
  expect((await team.owner.patch(self, { role: 'Owner' })).status).toBe(200);
  const second = await platform.person({ tenant: team.tenant });
  expect((await second.patch(self, { role: 'Admin' })).status).toBe(200);
});

test('a disabled Owner does not count as an Owner', async () => {
  const team = await newTeam();
  const closed = await platform.person({ tenant: team.tenant });
  await central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${closed.id}`);
  expect((await team.owner.delete(`/api/v1/team/${team.owner.id}`)).status).toBe(409);
  expect((await team.owner.delete(`/api/v1/team/${closed.id}`)).status).toBe(200);
});

test.each([
  ['demote each other', (me: Person, other: Person) => me.patch(`/api/v1/team/${other.id}`, { role: 'Viewer' })],
  ['remove each other', (me: Person, other: Person) => me.delete(`/api/v1/team/${other.id}`)],
  ['step down', (me: Person) => me.patch(`/api/v1/team/${me.id}`, { role: 'Viewer' })],
  ['leave', (me: Person) => me.delete(`/api/v1/team/${me.id}`)],
])('when two Owners %s concurrently, one Owner remains', async (_, act) => {
  for (let round = 0; round < 4; round += 1) {
    const team = await newTeam();
    const second = await platform.person({ tenant: team.tenant });
    // Cached before, so that neither request is refused because of the other.
    await Promise.all([team.owner.get('/api/v1/team'), second.get('/api/v1/team')]);
    const answers = await Promise.all([act(team.owner, second), act(second, team.owner)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const owners = await central.db.rows(sql`
      SELECT FROM memberships m JOIN roles r ON r.id = m.role_id
      WHERE m.tenant_id = ${team.tenant.id} AND r.name = 'Owner'`);
    expect(owners).toHaveLength(1);
  }
});

test('a removed member loses access within a second, in every process, and keeps other tenants', async () => {
  const elsewhere = await platform.tenant();
  const person = await platform.person({ tenant: acme });
  await addMember(central.db, { userId: person.id, tenantId: elsewhere.id, role: 'Viewer' });
  const ask = (at: typeof platform, tenant: TestTenant) =>
    at.request({
      method: 'GET',
      url: '/api/v1/team',
      headers: { authorization: `Bearer ${person.accessToken}`, 'x-tenant': tenant.id },
    });
  expect((await ask(platform, acme)).status).toBe(200);
  expect((await ask(secondProcess, acme)).status).toBe(200);
  const { status, body } = await owner.delete(`/api/v1/team/${person.id}`);
  expect({ status, body }).toEqual({ status: 200, body: { message: 'Member removed.' } });
  for (const process of [platform, secondProcess]) {
    await expect.poll(async () => (await ask(process, acme)).status, { timeout: 1_000 }).toBe(403);
    expect((await ask(process, elsewhere)).status).toBe(200);
  }
});

test('changes of members are in the activity log', async () => {
  const person = await platform.person({ tenant: acme, role: 'Viewer', name: 'Wanda' });
  await owner.patch(`/api/v1/team/${person.id}`, { role: 'Agent' });
  await owner.patch(`/api/v1/team/${person.id}`, { role: 'Agent' });
  await owner.delete(`/api/v1/team/${person.id}`);
  const { body } = await owner.get('/api/v1/activity?per_page=2');
  const subject = { id: person.id, name: 'Wanda' };
  expect(body.activity).toMatchObject([
    { action: 'member_removed', user: { id: owner.id }, subject, details: { role: 'Agent' } },
    { action: 'member_role_changed', user: { id: owner.id }, subject, details: { from: 'Viewer', to: 'Agent' } },
  ]);
});

test('a cursor visits every member once, in every order, also while others join', async () => {
  const team = await newTeam();
  const people = [team.owner];
  for (const name of ['Anu', 'anu', 'Bo', 'Čeda']) people.push(await platform.person({ tenant: team.tenant, name }));
  await central.db.run(sql`DELETE FROM sessions WHERE user_id IN (${people[1]?.id}, ${people[2]?.id})`);
  const expected = people.map(({ id }) => id).sort();
  for (const sortBy of ['name', 'email', 'role', 'joined_at', 'last_active_at', 'updated_at']) {
    for (const order of ['asc', 'desc']) {
      const url = `/api/v1/team?sort_by=${sortBy}&sort_order=${order}`;
      const read = await readByCursor<Person>(team.owner, url);
      expect(read.map(({ id }) => id).sort()).toEqual(expected);
      const { body } = await team.owner.get(`${url}&per_page=100`);
      expect(read.map(({ id }) => id)).toEqual(body.team.map(({ id }: Person) => id));
    }
  }
  const read = await readByCursor<Person>(team.owner, '/api/v1/team?sort_by=joined_at&sort_order=desc', () =>
    platform.person({ tenant: team.tenant }),
  );
  expect(read.map(({ id }) => id).sort()).toEqual(expected);
});

test('members that changed since a given time are listed, latest change last', async () => {
  const team = await newTeam();
  const [first, , third] = [
    await platform.person({ tenant: team.tenant, role: 'Viewer' }),
    await platform.person({ tenant: team.tenant, role: 'Viewer' }),
    await platform.person({ tenant: team.tenant, role: 'Viewer' }),
  ];
  const { body } = await team.owner.patch(`/api/v1/team/${third?.id}`, { role: 'Agent' });
  await team.owner.patch(`/api/v1/team/${first?.id}`, { role: 'Agent' });
  const since = `updated_from=${body.member.updated_at}&sort_by=updated_at&sort_order=asc`;
  const changed = await team.owner.get(`/api/v1/team?${since}`);
  expect(changed.body.team.map(({ id }: Person) => id)).toEqual([third?.id, first?.id]);
});

test('all errors of a query are reported in one response', async () => {
  const { status, body } = await owner.get('/api/v1/team?colour=red&per_page=101&role=');
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { colour: ['unknown'], per_page: ['too_large'], role: ['too_short'] },
  });
});

test('a change based on an outdated version of a member is refused', async () => {
  const person = await platform.person({ tenant: acme, role: 'Viewer' });
  const url = `/api/v1/team/${person.id}`;
  const old = { 'if-match': (await owner.get(url)).headers.etag as string };
  const changed = await owner.patch(url, { role: 'Agent' }, old);
  expect(changed.status).toBe(200);
  expect((await owner.patch(url, { role: 'Manager' }, old)).status).toBe(412);
  expect((await owner.delete(url, undefined, old)).status).toBe(412);
  expect(await readRole(owner, person)).toBe('Agent');
  expect((await owner.delete(url, undefined, { 'if-match': changed.headers.etag as string })).status).toBe(200);
});

test('the audit log contains the role of a member before and after a change', async () => {
  const person = await platform.person({ tenant: acme, role: 'Viewer' });
  await owner.patch(`/api/v1/team/${person.id}`, { role: 'Agent' });
  await owner.delete(`/api/v1/team/${person.id}`);
  const common = { resource_id: String(person.id), user_id: owner.id, outcome: 'ok' };
  expect((await auditEntries(platform, owner, 'team.update'))[0]).toMatchObject({
    ...common,
    changes: { role: ['Viewer', 'Agent'] },
  });
  expect((await auditEntries(platform, owner, 'team.remove'))[0]).toMatchObject({
    ...common,
    changes: { role: ['Agent', null] },
  });
});
