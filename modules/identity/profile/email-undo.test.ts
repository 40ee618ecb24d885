import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { type Person, startAccounts, testPassword } from '../../../server/testing/accounts.ts';
import { eventually } from '../../../server/testing/eventually.ts';
import { makeClient } from '../../../server/testing/oauth.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { addressHash } from './verification-link.ts';

const platform = await startAccounts();
const { central } = platform.kernel;

const post = (url: string, payload: object = {}) => platform.request({ method: 'POST', url, payload });
let count = 0;

/** Enters a new address, as a person who took over the account would, and returns a function that verifies it. */
async function takeOver(owner: Person): Promise<() => Promise<void>> {
  count += 1;
  const email = `thief-${count}@example.com`;
  expect((await owner.put('/api/v1/profile/email', { email, password: testPassword })).status).toBe(200);
  return async () => {
    const url = `/api/v1/email/verify/${owner.id}/${addressHash(email)}`;
    expect((await platform.request({ method: 'GET', url })).status).toBe(200);
  };
}

async function undo(owner: Person): Promise<void> {
  const { text } = await platform.mailTo(owner.email, /address .* was changed$/);
  const token = /\/email\/undo\/([\w-]+)/.exec(text)?.[1];
  expect((await post(`/api/v1/email/undo/${token}`)).status).toBe(200);
}

/** What happens while an account is taken over, and is undone. */
async function duringTakeover(owner: Person, work: () => Promise<void>): Promise<void> {
  const verify = await takeOver(owner);
  await work();
  await verify();
  await undo(owner);
}

async function invite(inviter: Person, email: string, role: string): Promise<string> {
  expect((await inviter.post('/api/v1/invitations', { email, role })).status).toBe(201);
  const { text } = await platform.mailTo(email, /invited/);
  return /invitations\/([\w-]+)/.exec(text)?.[1] ?? '';
}

/** Makes a person join the tenant of the inviter. */
async function admit(inviter: Person, person: Person, role: string): Promise<void> {
  const token = await invite(inviter, person.email, role);
  expect((await person.post(`/api/v1/invitations/${token}/accept`)).status).toBe(200);
}

/** Sends requests in a tenant that the person has joined. */
const inTenant = (person: Person, { id }: TestTenant) => ({
  patch: (url: string, body: object) => person.patch(url, body, { 'x-tenant': id }),
  post: (url: string, body: object) => person.post(url, body, { 'x-tenant': id }),
  delete: (url: string) => person.delete(url, undefined, { 'x-tenant': id }),
});

async function roles({ id }: TestTenant): Promise<Record<number, string>> {
  const rows = await central.db.rows<{ user_id: number; name: string }>(sql`
    SELECT m.user_id, r.name FROM memberships m JOIN roles r ON r.id = m.role_id WHERE m.tenant_id = ${id}`);
  return Object.fromEntries(rows.map(({ user_id, name }) => [user_id, name]));
}

async function newTeam() {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  return { tenant, owner };
}

test('an invitation that was sent during the takeover cannot be accepted after the undo', async () => {
  const { tenant, owner } = await newTeam();
  const earlier = await invite(owner, 'friend@example.com', 'Agent');
  let link = '';
  await duringTakeover(owner, async () => {
    link = await invite(owner, 'accomplice@example.com', 'Owner');
  });
  const form = { name: 'A', password: 'long enough', password_confirmation: 'long enough' };
  expect((await post(`/api/v1/invitations/${link}/accept`, form)).status).toBe(422);
  expect((await post(`/api/v1/invitations/${earlier}/accept`, form)).status).toBe(201);
  expect(Object.values(await roles(tenant)).sort()).toEqual(['Agent', 'Owner']);
  const { body } = await platform.person({ tenant }).then((other) => other.get('/api/v1/activity'));
  expect(body.activity).toContainEqual(
    expect.objectContaining({
      action: 'invitation_revoked',
      details: { email: 'accomplice@example.com', role: 'Owner' },
    }),
  );
});

test('a membership that was accepted during the takeover ends, and its API clients with it', async () => {
  const { tenant, owner } = await newTeam();
  const accomplice = await platform.person();
  await duringTakeover(owner, async () => {
    await admit(owner, accomplice, 'Owner');
    const { status } = await inTenant(accomplice, tenant).post('/api/v1/api-clients', {
      name: 'Door',
      scopes: ['settings.view'],
    });
    expect(status).toBe(201);
  });
  expect(await roles(tenant)).toEqual({ [owner.id]: 'Owner' });
  expect(await central.db.rows(sql`SELECT FROM oauth_clients WHERE tenant_id = ${tenant.id}`)).toEqual([]);
  await eventually(async () =>
    expect((await accomplice.get('/api/v1/team', { 'x-tenant': tenant.id })).status).toBe(403),
  );
});

test('an invited Owner who has removed the owner loses the tenant', async () => {
  const { tenant, owner } = await newTeam();
  const [accomplice, second] = [await platform.person(), await platform.person()];
  await duringTakeover(owner, async () => {
    await admit(owner, accomplice, 'Owner');
    const asAccomplice = inTenant(accomplice, tenant);
    await asAccomplice.post('/api/v1/invitations', { email: second.email, role: 'Owner' });
    const { text } = await platform.mailTo(second.email, /invited/);
    await second.post(`/api/v1/invitations/${/invitations\/([\w-]+)/.exec(text)?.[1]}/accept`);
    expect((await asAccomplice.delete(`/api/v1/team/${owner.id}`)).status).toBe(200);
  });
  expect(await roles(tenant)).toEqual({ [owner.id]: 'Owner' });
});

test('who was invited before the takeover, or by others, stays', async () => {
  const { tenant, owner } = await newTeam();
  const other = await platform.person({ tenant });
  const [earlier, later, guest] = [await platform.person(), await platform.person(), await platform.person()];
  await admit(owner, earlier, 'Admin');
  const token = await invite(owner, later.email, 'Agent');
  await duringTakeover(owner, async () => {
    await admit(other, guest, 'Agent');
    expect((await later.post(`/api/v1/invitations/${token}/accept`)).status).toBe(200);
  });
  expect(await roles(tenant)).toEqual({
    [owner.id]: 'Owner',
    [other.id]: 'Owner',
    [earlier.id]: 'Admin',
    [later.id]: 'Agent',
    [guest.id]: 'Agent',
  });
});

test('the last Owner of a tenant keeps it', async () => {
  const { tenant, owner } = await newTeam();
  const heir = await platform.person();
  const verify = await takeOver(owner);
  await admit(owner, heir, 'Owner');
  await verify();
  // Not through the service, so that no entry of the log tells what the role was.
  await central.db.run(sql`DELETE FROM memberships WHERE user_id = ${owner.id}`);
  await undo(owner);
  expect(await roles(tenant)).toEqual({ [heir.id]: 'Owner' });
});

test('roles that were changed during the takeover are set back, unless another person has changed them again', async () => {
  const { tenant, owner } = await newTeam();
  const [other, raised, lowered, settled] = [
    await platform.person({ tenant }),
    await platform.person({ tenant, role: 'Agent' }),
    await platform.person({ tenant, role: 'Owner' }),
    await platform.person({ tenant, role: 'Agent' }),
  ];
  const removed = await platform.person({ tenant, role: 'Manager' });
  const setRole = async (by: Person, { id }: Person, role: string) =>
    expect((await by.patch(`/api/v1/team/${id}`, { role })).status).toBe(200);
  await duringTakeover(owner, async () => {
    await setRole(owner, raised, 'Manager');
    await setRole(owner, raised, 'Owner');
    await setRole(owner, lowered, 'Viewer');
    await setRole(owner, settled, 'Admin');
    await setRole(other, settled, 'Manager');
    // An accomplice who was promoted acts with the new role.
    await setRole(raised, owner, 'Viewer');
    expect((await raised.delete(`/api/v1/team/${removed.id}`)).status).toBe(200);
  });
  expect(await roles(tenant)).toEqual({
    [owner.id]: 'Owner',
    [other.id]: 'Owner',
    [raised.id]: 'Agent',
    [lowered.id]: 'Owner',
    [settled.id]: 'Manager',
    [removed.id]: 'Manager',
  });
});

test('permissions that were added to custom roles during the takeover are removed', async () => {
  const { owner } = await newTeam();
  const create = async (name: string, permissions: string[]) =>
    (await owner.post('/api/v1/roles', { name, permissions })).body.role.id as number;
  const earlier = await create('Packer', ['orders.view']);
  let later = 0;
  await duringTakeover(owner, async () => {
    await owner.patch(`/api/v1/roles/${earlier}`, { permissions: ['orders.view', 'team.remove'] });
    later = await create('Ghost', ['team.invite']);
  });
  const rows = await central.db.rows(sql`
    SELECT role_id, permission FROM role_permissions WHERE role_id IN (${earlier}, ${later})`);
  expect(rows).toEqual([{ role_id: earlier, permission: 'orders.view' }]);
});

test('scopes that were added to an API client during the takeover are removed', async () => {
  const { owner } = await newTeam();
  const client = await makeClient(owner, ['settings.view']);
  await duringTakeover(owner, async () => {
    const { status } = await owner.patch(`/api/v1/api-clients/${client.id}`, {
      scopes: ['settings.view', 'team.invite'],
    });
    expect(status).toBe(200);
  });
  const row = await central.db.row(sql`
    SELECT c.scopes, m.permissions FROM oauth_clients c JOIN memberships m ON m.user_id = c.user_id
    WHERE c.id = ${client.id}`);
  expect(row).toEqual({ scopes: ['settings.view'], permissions: ['settings.view'] });
});

test('who was invited by an API client of the takeover loses the membership', async () => {
  const { tenant, owner } = await newTeam();
  const accomplice = await platform.person();
  await duringTakeover(owner, async () => {
    const client = await makeClient(owner, ['team.invite', 'team.view']);
    const { access_token } = (await client.token(platform)).body;
    const headers = { authorization: `Bearer ${access_token}`, 'x-tenant': tenant.id };
    const role = await owner.post('/api/v1/roles', { name: 'Watcher', permissions: ['team.view'] });
    const payload = { email: accomplice.email, role: role.body.role.name };
    const sent = await platform.request({ method: 'POST', url: '/api/v1/invitations', headers, payload });
    expect(sent.status).toBe(201);
    const { text } = await platform.mailTo(accomplice.email, /invited/);
    const token = /invitations\/([\w-]+)/.exec(text)?.[1];
    expect((await accomplice.post(`/api/v1/invitations/${token}/accept`)).status).toBe(200);
  });
  expect(await roles(tenant)).toEqual({ [owner.id]: 'Owner' });
});

test('personal access tokens and approved devices end', async () => {
  const { owner } = await newTeam();
  const { body: earlier } = await owner.post('/api/v1/profile/tokens', { name: 'Earlier' });
  let device = '';
  await duringTakeover(owner, async () => {
    const { body: code } = await post('/oauth/device_authorization', { client_id: 'chowk-cli' });
    expect((await owner.post(`/api/v1/device/${code.user_code}/approve`)).status).toBe(200);
    device = code.device_code;
  });
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'chowk-cli' };
  expect((await post('/oauth/token', { ...grant, device_code: device })).body.error).toBe('access_denied');
  const headers = { authorization: `Bearer ${earlier.access_token}` };
  await eventually(async () => expect((await platform.request({ url: '/api/v1/auth/me', headers })).status).toBe(401));
});

test('the mail about the undo lists access that is older than the change', async () => {
  const { tenant, owner } = await newTeam();
  const other = await platform.person({ tenant });
  await makeClient(owner, ['settings.view'], 'Till');
  const disguised = await makeClient(owner, ['settings.view'], 'https://evil.example.com');
  await invite(owner, 'pending@example.com', 'Agent');
  await duringTakeover(owner, async () => {
    await makeClient(owner, ['settings.view'], 'Later');
  });
  const { text } = await platform.mailTo(owner.email, /new password/);
  const unwrapped = text.replaceAll(/\s+/g, ' ');
  expect(unwrapped).toContain(`API client Till in ${tenant.id}`);
  expect(unwrapped).toContain(`API client ${disguised.id} in ${tenant.id}`);
  expect(unwrapped).toContain(`Other Owner ${other.email} in ${tenant.id}`);
  expect(unwrapped).toContain(`Open invitation of pending@example.com in ${tenant.id}`);
  expect(unwrapped).not.toContain('Later');
  expect(unwrapped).not.toContain('evil');
});

test('webhooks and rules that were saved during the takeover are turned off, older ones are not', async () => {
  const { tenant, owner } = await newTeam();
  const rule = { event: 'order.created', channel: 'in_app', recipient: { role: 'Owner' }, template: { body: 'New' } };
  const save = async () => [
    (await owner.post('/api/v1/webhooks', { url: 'https://hooks.example.com', events: ['order.*'] })).body.webhook.id,
    (await owner.post('/api/v1/notification-rules', rule)).body.rule.id,
  ];
  const [oldWebhook, oldRule] = await save();
  let [webhook, later] = ['', ''];
  await duringTakeover(owner, async () => {
    [webhook, later] = await save();
  });
  const states = async () => ({
    webhooks: await tenant.db.rows(sql`SELECT id, is_active FROM webhooks ORDER BY created_at`),
    rules: await tenant.db.rows(sql`SELECT id, is_active FROM notification_rules ORDER BY created_at`),
  });
  await eventually(async () =>
    expect(await states()).toEqual({
      webhooks: [
        { id: oldWebhook, is_active: true },
        { id: webhook, is_active: false },
      ],
      rules: [
        { id: oldRule, is_active: true },
        { id: later, is_active: false },
      ],
    }),
  );
});
