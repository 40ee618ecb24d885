import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('the team', () => {
  let platform: Console;

  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  async function open(path = '/team', role = 'Owner') {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const owner = await platform.person({ tenant: acme });
    const ravi = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravi Menon' });
    const user = role === 'Owner' ? owner : await platform.person({ tenant: acme, role, name: 'Meera Iyer' });
    const page = await platform.openAs(user, acme, path);
    return { acme, owner, ravi, user, page };
  }

  test('lists members with role and last activity; one is removed with API clients and webhooks, the last owner cannot leave', async () => {
    const { acme, page, owner, ravi } = await open();
    const rows = page.locator('tbody [data-row]');
    await eventually(async () => expect(await rows.count()).toBe(2));
    await page.getByRole('link', { name: 'Ravi Menon' }).waitFor();
    await inspect(page, 'team');
    await page.keyboard.press('/');
    await page.keyboard.type('ravi');
    await eventually(async () => expect(await rows.count()).toBe(1));
    await page.getByRole('searchbox').fill('');
    await page.goto(`${platform.origin}/team?role=Owner`);
    await page.getByRole('link', { name: 'Asha Rao' }).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByRole('button', { name: 'Show all members' }).click();
    await page.getByRole('link', { name: 'Ravi Menon' }).click();
    await heading(page, 'Ravi Menon').waitFor();
    await page.getByRole('link', { name: ravi.email }).waitFor();
    await page.getByText('No changes yet.').waitFor();
    await inspect(page, 'team-member');

    await page.getByRole('link', { name: 'Asha Rao' }).click();
    await heading(page, 'Asha Rao').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect((await owner.get('/api/v1/team')).body.team).toHaveLength(2);

    const dev = await platform.person({ tenant: acme, role: 'Admin', name: 'Dev Patel' });
    const client = { name: 'Shop window', scopes: ['orders.view'], password: dev.password };
    expect((await dev.post('/api/v1/api-clients', client)).status).toBe(201);
    const webhook = { url: 'https://hooks.example.com/', events: ['order.*'], description: 'Warehouse' };
    expect((await dev.post('/api/v1/webhooks', webhook)).status).toBe(201);
    await page.goto(`${platform.origin}/team/${dev.id}`);
    await page.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Dev Patel?' });
    await dialog.getByText('One webhook gets no more events until another member saves it: Warehouse.').waitFor();
    await dialog.getByLabel('API clients: Shop window').selectOption('take_over');
    await inspect(page, 'team-remove');
    await dialog.getByRole('button', { name: 'Remove member' }).click();
    await page.getByText('Dev Patel removed.').waitFor();
    await page.getByRole('link', { name: 'Dev Patel' }).waitFor({ state: 'detached' });
    const { body } = await owner.get('/api/v1/api-clients');
    expect(body.api_clients).toMatchObject([{ name: 'Shop window', created_by: { id: owner.id } }]);
  });

  test('a role is changed, and ownership handed over', async () => {
    const { page, owner, ravi } = await open();
    await page.getByRole('link', { name: 'Ravi Menon' }).click();
    await page.getByLabel('Role of Ravi Menon').selectOption('Owner');
    await page.getByText('make Ravi Menon an owner, then change your own role').waitFor();
    await inspect(page, 'team-owner');
    await page.getByRole('button', { name: 'Change to Owner' }).click();
    await page.getByText('Role of Ravi Menon changed to Owner.').waitFor();
    expect((await owner.get(`/api/v1/team/${ravi.id}`)).body.member.role).toBe('Owner');
    await page.getByRole('link', { name: 'Asha Rao' }).click();
    await page.getByLabel('Role of Asha Rao').selectOption('Viewer');
    await page.getByRole('button', { name: 'Change to Viewer' }).click();
    await page.getByText('Your role changed to Viewer.').waitFor();
    // What the user may no longer do is no longer offered.
    await page.getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  });

  test('ownership is transferred in one step, and never without an owner', async () => {
    const { page, owner, ravi } = await open();
    await owner.post('/api/v1/roles', { name: 'Founder', permissions: ['team.view', 'orders.view'] });
    await page.goto(`${platform.origin}/team/${owner.id}`);
    await page.getByLabel('Role of Asha Rao').waitFor();
    expect(await page.getByRole('button', { name: 'Transfer ownership' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Ravi Menon' }).click();
    await page.getByRole('button', { name: 'Transfer ownership' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make Ravi Menon the owner?' });
    await dialog.getByLabel('Your role from then on').selectOption('Founder');
    await inspect(page, 'team-transfer');
    await dialog.getByRole('button', { name: 'Transfer ownership' }).click();
    await page.getByText('Ownership transferred to Ravi Menon. Your role changed to Founder.').waitFor();
    const { body } = await ravi.get('/api/v1/team');
    const roles = Object.fromEntries(body.team.map(({ id, role }: { id: number; role: string }) => [id, role]));
    expect(roles).toEqual({ [owner.id]: 'Founder', [ravi.id]: 'Owner' });
    await page.getByRole('button', { name: 'Transfer ownership' }).waitFor({ state: 'detached' });
  });

  test('people are invited, again and not; roles show what they may do, and own ones are created, changed and deleted', async () => {
    const { page, owner } = await open('/team/invitations');
    await page.getByRole('heading', { name: 'No open invitations' }).waitFor();
    await inspect(page, 'team-invitations-empty');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email').fill('not an address');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Email').fill('meera@example.com');
    await page.getByLabel('Role').selectOption('Manager');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('meera@example.com', { exact: true }).waitFor();
    await page.getByText('Manager, invited by Asha Rao').waitFor();
    await inspect(page, 'team-invitations');
    const first = await platform.mailTo('meera@example.com', /invited/);
    await page.getByRole('button', { name: 'Resend the invitation to meera@example.com' }).click();
    await page.getByText('A new link is on its way to meera@example.com.').waitFor();
    await eventually(async () => expect((await platform.mailTo('meera@example.com')).text).not.toBe(first.text));
    await page.getByRole('button', { name: 'Withdraw the invitation to meera@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('heading', { name: 'No open invitations' }).waitFor();
    expect((await owner.get('/api/v1/invitations')).body.invitations).toEqual([]);

    await page.getByRole('link', { name: 'Roles', exact: true }).click();
    const matrix = page.getByRole('table', { name: 'Permissions of each role' });
    const refunds = matrix.getByRole('row', { name: /Refund/ });
    await refunds.waitFor();
    // Owner and Admin.
    expect(await refunds.getByLabel('Yes').count()).toBe(2);
    await inspect(page, 'team-roles');
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Create role' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Name').fill('Cashier');
    await page.getByRole('checkbox', { name: /orders\.view$/ }).check();
    await page.reload();
    await eventually(async () => expect(await page.getByLabel('Name').inputValue()).toBe('Cashier'));
    await inspect(page, 'team-role-new');
    await page.getByRole('button', { name: 'Create role' }).click();
    await heading(page, 'Cashier').waitFor();
    const find = async () =>
      (await owner.get('/api/v1/roles')).body.roles.find((role: { is_system: boolean }) => !role.is_system);
    expect(await find()).toMatchObject({ name: 'Cashier', permissions: ['orders.view'] });
    await page.getByRole('checkbox', { name: /orders\.create$/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Role Cashier saved.').waitFor();
    expect((await find()).permissions.toSorted()).toEqual(['orders.create', 'orders.view']);
    await inspect(page, 'team-role');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete role' }).click();
    await page.getByText('Role Cashier deleted.').waitFor();
    expect(await find()).toBeUndefined();
    await page.getByRole('table', { name: 'Roles' }).getByRole('link', { name: 'Agent', exact: true }).click();
    await page.getByText('It cannot be changed.').waitFor();
    await inspect(page, 'team-role-system');
  });

  test('each role sees what it may use and nothing more', async () => {
    const { page, acme, owner } = await open('/team', 'Viewer');
    await page.getByRole('link', { name: 'Ravi Menon' }).click();
    await heading(page, 'Ravi Menon').waitFor();
    for (const name of ['Remove', 'Invite']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    const agent = await platform.person({ tenant: acme, role: 'Agent' });
    await platform.continueAs(page, agent, acme);
    await page.goto(`${platform.origin}/team`);
    await page.getByText('You do not have access to this page').waitFor();
    await page.getByText('team.view').waitFor();
    // An admin cannot touch an owner.
    const admin = await platform.person({ tenant: acme, role: 'Admin' });
    await platform.continueAs(page, admin, acme);
    await page.goto(`${platform.origin}/team/${owner.id}`);
    await page.getByText('Has every permission.').waitFor();
    expect(await page.getByLabel('Role of Asha Rao').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(0);
  });
});
