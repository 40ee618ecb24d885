import { expect, test } from 'vitest';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { uniqueId } from '../../../server/testing/platform.ts';

const platform = await startAccounts();
const url = '/api/v1/organization';
const tenants = async (person: Awaited<ReturnType<typeof platform.person>>) =>
  (await person.get('/api/v1/auth/me')).body.tenants;

test('an owner renames the organization, and everyone sees it at once', async () => {
  const acme = await platform.tenant({ name: 'Acme' });
  const [owner, agent] = [
    await platform.person({ tenant: acme }),
    await platform.person({ tenant: acme, role: 'Agent' }),
  ];
  expect(await tenants(agent)).toMatchObject([{ name: 'Acme' }]);
  const { status, body } = await owner.patch(url, { name: ' Acme Stores ' });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      message: 'Organization saved.',
      organization: {
        id: acme.id,
        name: 'Acme Stores',
        domain: `${acme.id}.localhost`,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    },
  });
  expect(await tenants(agent)).toMatchObject([{ name: 'Acme Stores' }]);
  expect((await owner.get(url)).body.organization.name).toBe('Acme Stores');
  const { body: log } = await owner.get('/api/v1/activity?action=organization_renamed');
  expect(log.activity).toMatchObject([{ details: { from: 'Acme', to: 'Acme Stores' } }]);
  await owner.post('/api/v1/invitations', { email: 'new@example.com', role: 'Agent' });
  expect((await platform.mailTo('new@example.com')).subject).toBe('You are invited to join Acme Stores');
});

test('renaming needs settings.edit, and a name', async () => {
  const acme = await platform.tenant();
  const [owner, agent] = [
    await platform.person({ tenant: acme }),
    await platform.person({ tenant: acme, role: 'Agent' }),
  ];
  expect((await agent.patch(url, { name: 'Mine' })).status).toBe(403);
  for (const name of ['', ' ', 'x'.repeat(256), null, 7]) {
    const { status, body } = await owner.patch(url, { name });
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['name'] });
  }
  const { headers } = await owner.get(url);
  expect((await owner.patch(url, { name: 'First' }, { 'if-match': headers.etag as string })).status).toBe(200);
  expect((await owner.patch(url, { name: 'Second' }, { 'if-match': headers.etag as string })).status).toBe(412);
});

test('the main domain of a tenant is its id or, if that is random, its first alias', async () => {
  const acme = await platform.tenant({ aliases: [uniqueId()] });
  const owner = await platform.person({ tenant: acme });
  expect(await tenants(owner)).toMatchObject([{ domain: `${acme.id}.localhost` }]);

  const [first, second] = [uniqueId(), uniqueId()];
  const { id } = await platform.kernel.services.tenants.create({ name: 'Random', aliases: [first] });
  await platform.join(owner, { id } as typeof acme);
  const shown = async () => (await tenants(owner)).find((tenant: { id: string }) => tenant.id === id)?.domain;
  await expect.poll(shown).toBe(`${first}.localhost`);
  const { domains } = platform.kernel.services;
  await domains.add(id, second);
  expect(await shown()).toBe(`${first}.localhost`);
  await domains.remove(id, first);
  await expect.poll(shown).toBe(`${second}.localhost`);
});
