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

test('one of eight owners posted concurrently to two processes is created, and the others get 403', async () => {
  const one = await startAtOwner();
  const other = await startWizard({ sharedWith: one });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? one : other).post('owner', ownerForm({ email: `owner${index}@example.com` })),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
  for (const { status, body } of answers) expect(body.redirect, String(status)).toBe('/login');
  expect(await one.counts()).toMatchObject({ users: 1, tenants: 1, memberships: 1 });
});

test('the same owner posted twice concurrently is created once', async () => {
  const wizard = await startAtOwner();
  const form = ownerForm();
  const answers = await Promise.all([wizard.post('owner', form), wizard.post('owner', form)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403]);
  expect(await wizard.counts()).toMatchObject({ users: 1, tenants: 1, memberships: 1 });
});

test('a failed attempt leaves no owner, and posting the same form again completes it', async () => {
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

test('a tenant without a database, left by a crash, is completed', async () => {
  const wizard = await startAtOwner();
  const form = ownerForm();
  await leaveUnfinishedTenant(wizard, form.organization_slug);
  expect((await wizard.post('owner', form)).status).toBe(201);
  const tenant = await wizard.kernel.directory.find(form.organization_slug);
  expect(await tenant?.db.rows(sql`SELECT 1 FROM products`)).toEqual([]);
});

test('an unfinished tenant with another slug does not block the installation', async () => {
  const wizard = await startAtOwner();
  const left = uniqueId();
  await leaveUnfinishedTenant(wizard, left);
  expect((await wizard.post('owner', ownerForm())).status).toBe(201);
  expect(await wizard.kernel.directory.find(left)).toBeUndefined();
});

test('an unfinished tenant that is not the platform owner is not taken over', async () => {
  const wizard = await startAtOwner();
  const form = ownerForm();
  await leaveUnfinishedTenant(wizard, form.organization_slug, 'merchant');
  const { status, body } = await wizard.post('owner', form);
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: { organization_slug: [`${form.organization_slug} is taken.`] },
  });
});

test('if the marker file cannot be written, the installation is complete, and the next check writes it', async () => {
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

/** The state after a crash between inserting the tenant and creating its database. */
async function leaveUnfinishedTenant({ kernel }: Wizard, id: string, role = 'platform_owner'): Promise<void> {
  const { db } = kernel.central;
  await db.run(sql`
    INSERT INTO tenants (id, name, role, database_name, module_ring_id)
    SELECT ${id}, 'Unfinished', ${role}, ${`tenant${id}`}, id FROM module_rings WHERE is_default`);
  await db.run(sql`INSERT INTO domains (domain, tenant_id, kind) VALUES (${id}, ${id}, 'alias')`);
}
