import { rename } from 'node:fs/promises';
import { raw, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { uniqueId } from '../../server/testing/platform.ts';
import { ownerForm, startWizard, type Wizard } from '../../server/testing/wizard.ts';

async function startAtOwner(): Promise<Wizard> {
  const wizard = await startWizard();
  await wizard.untilOwner();
  return wizard;
}

test('of eight owners posted at once to two processes one is created, and the others are told to sign in', async () => {
  const one = await startAtOwner();
  const other = await startWizard({ beside: one });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? one : other).post('owner', ownerForm({ email: `owner${index}@example.com` })),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
  for (const { status, body } of answers) expect(body.redirect, String(status)).toBe('/login');
  expect(await one.counts()).toMatchObject({ users: 1, tenants: 1, memberships: 1 });
});

test('the same owner posted twice at once is created once', async () => {
  const wizard = await startAtOwner();
  const form = ownerForm();
  const answers = await Promise.all([wizard.post('owner', form), wizard.post('owner', form)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403]);
  expect(await wizard.counts()).toMatchObject({ users: 1, tenants: 1, memberships: 1 });
});

test('what fails in the midst leaves no owner, and the same form posted again completes it', async () => {
  const wizard = await startAtOwner();
  const { db } = wizard.kernel.central;
  const form = ownerForm();
  await refuseMemberships(wizard);
  expect((await wizard.post('owner', form)).status).toBe(500);
  expect(await wizard.counts()).toMatchObject({ users: 0, tenants: 1, memberships: 0 });
  expect(await wizard.kernel.directory.find(form.organization_slug)).toBeUndefined();
  expect(await wizard.marker()).toBeUndefined();
  expect((await wizard.get('status')).body).toMatchObject({ installed: false, current_step: 4 });

  await db.run(sql`DROP TRIGGER refuse ON memberships`);
  const again = await wizard.post('owner', { ...form, organization_name: 'Acme Bazaar' });
  expect(again).toMatchObject({ status: 201, body: { tenant_id: form.organization_slug } });
  expect(await wizard.counts()).toMatchObject({ users: 1, tenants: 1, memberships: 1 });
  const tenant = await wizard.kernel.directory.find(form.organization_slug);
  expect(tenant).toMatchObject({ name: 'Acme Bazaar', role: 'platform_owner' });
  // The database has every migration.
  expect(await tenant?.db.rows(sql`SELECT 1 FROM products`)).toEqual([]);
});

test('a tenant whose process died before it had a database is completed too', async () => {
  const wizard = await startAtOwner();
  const form = ownerForm();
  await leaveHalfMade(wizard, form.organization_slug);
  expect((await wizard.post('owner', form)).status).toBe(201);
  const tenant = await wizard.kernel.directory.find(form.organization_slug);
  expect(await tenant?.db.rows(sql`SELECT 1 FROM products`)).toEqual([]);
});

test('what an interrupted try has left under another slug is in nobody’s way', async () => {
  const wizard = await startAtOwner();
  const left = uniqueId();
  await leaveHalfMade(wizard, left);
  expect((await wizard.post('owner', ownerForm())).status).toBe(201);
  expect(await wizard.kernel.directory.find(left)).toBeUndefined();
});

test('a half-made tenant of somebody else is not taken over', async () => {
  const wizard = await startAtOwner();
  const form = ownerForm();
  await leaveHalfMade(wizard, form.organization_slug, 'merchant');
  const { status, body } = await wizard.post('owner', form);
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { organization_slug: [`${form.organization_slug} is taken.`] },
  });
});

test('without room for the marker the owner is there, nobody can install again, and the next look writes it', async () => {
  const wizard = await startAtOwner();
  const { storagePath } = wizard.kernel.config;
  const form = ownerForm();
  await rename(storagePath, `${storagePath}.away`);
  try {
    expect((await wizard.post('owner', form)).status).toBe(201);
    expect((await wizard.post('owner', ownerForm({ email: 'other@example.com' }))).status).toBe(403);
    expect((await wizard.get('status')).status).toBe(403);
  } finally {
    await rename(`${storagePath}.away`, storagePath);
  }
  expect(await wizard.marker()).toBeUndefined();
  expect((await wizard.get('status')).status).toBe(403);
  const row = await wizard.kernel.central.db.row<{ value: object }>(sql`
    SELECT value FROM platform_settings WHERE key = 'installed'`);
  expect(await wizard.marker()).toEqual(row?.value);
});

async function refuseMemberships({ kernel }: Wizard): Promise<void> {
  const { db } = kernel.central;
  await db.run(
    raw(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'injected'; END$$`),
  );
  await db.run(sql`CREATE TRIGGER refuse BEFORE INSERT ON memberships FOR EACH ROW EXECUTE FUNCTION refuse()`);
}

/** As it is when the process dies right after it has written down what it is about to make. */
async function leaveHalfMade({ kernel }: Wizard, id: string, role = 'platform_owner'): Promise<void> {
  const { db } = kernel.central;
  await db.run(sql`
    INSERT INTO tenants (id, name, role, database_name, module_ring_id)
    SELECT ${id}, 'Half made', ${role}, ${`tenant${id}`}, id FROM module_rings WHERE is_default`);
  await db.run(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${id}, ${id}, 'alias')`);
}
