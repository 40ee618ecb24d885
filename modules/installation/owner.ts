import { type Db, Failure, type Issues, invalid, type SystemCtx, sql, taken } from '@chowk/kit';
import { mustNotBeInstalled, tryToWriteMarker } from './installed.ts';
import { writeInstalledRow } from './marker.ts';
import { checkRegion, checkTimeZone, completeRegion, writeRegion } from './region.ts';
import type { NewOwner, OwnerCreated } from './schemas.ts';

export async function checkOwner(ctx: SystemCtx, form: Partial<NewOwner>, issues: Issues): Promise<void> {
  const { organization_slug: slug, email } = form;
  checkRegion(form, issues);
  await checkTimeZone(ctx.central, form, issues);
  await checkPassword(ctx, form, issues);
  if (email !== undefined && (await ctx.bus.call('identity.isEmailTaken', { email }))) {
    issues.addAll({ email: [emailTaken(email)] });
  }
  if (slug === undefined || (await isUnfinished(ctx.central, slug))) return;
  const problem = await ctx.system.tenants.idProblem(slug);
  if (problem) issues.addAll({ organization_slug: [problem] });
}

async function checkPassword(ctx: SystemCtx, { password }: Partial<NewOwner>, issues: Issues): Promise<void> {
  const problem = password === undefined ? undefined : await ctx.bus.call('identity.passwordProblem', { password });
  if (problem) issues.add('password', problem);
}

/**
 * Step 4: the first tenant with its database, and its owner. All of it is committed together with the row `installed`;
 * the marker file is written last. `checkOwner` must have found no problems.
 */
export async function createOwner(ctx: SystemCtx, owner: NewOwner): Promise<OwnerCreated> {
  return ctx.system.runExclusively('install owner', async () => {
    await mustNotBeInstalled(ctx);
    const region = completeRegion(owner, ctx.client.header('accept-language'));
    const passwordHash = await ctx.bus.call('identity.hashPassword', { password: owner.password });
    let id = 0;
    await createTenant(ctx, owner, async (db) => {
      id = await addOwner(ctx, db, owner, passwordHash);
      await writeRegion(db, owner.organization_slug, region);
    });
    await tryToWriteMarker(ctx);
    const { organization_slug: tenant_id, name, email } = owner;
    const user = { id, name, email, email_verified: true, two_factor_enabled: false };
    return { tenant_id, user, ...region, redirect: '/login' };
  });
}

/** The address counts as verified: the operator of the platform entered it. */
async function addOwner(
  ctx: SystemCtx,
  db: Db,
  { organization_slug: slug, name, email }: NewOwner,
  passwordHash: string,
): Promise<number> {
  const user = { name, email, passwordHash, emailVerified: true };
  const id = await ctx.withCentral(db).bus.call('identity.createOwner', { tenantId: slug, user });
  if (id === null) throw invalid({ email: emailTaken(email) });
  await writeInstalledRow(db, { installed_at: ctx.now().toISOString(), version: ctx.system.version });
  return id;
}

function emailTaken(email: string) {
  return taken(`${email} is taken.`);
}

async function createTenant(
  { central, system }: SystemCtx,
  { organization_slug: slug, organization_name: name }: NewOwner,
  inTransaction: (db: Db) => Promise<void>,
): Promise<void> {
  if (await isUnfinished(central, slug)) {
    await system.tenants.finish(slug, async (db) => {
      await db.run(sql`UPDATE tenants SET name = ${name} WHERE id = ${slug}`);
      await inTransaction(db);
    });
    return;
  }
  try {
    await system.tenants.create({ id: slug, name, role: 'platform_owner' }, inTransaction);
  } catch (error) {
    throw inFormFields(error);
  }
}

/** Left by an interrupted attempt. The lock keeps concurrent attempts out. */
async function isUnfinished(central: Db, slug: string): Promise<boolean> {
  const row = await central.row(sql`
    SELECT FROM tenants WHERE id = ${slug} AND role = 'platform_owner' AND status = 'creating'`);
  return row !== undefined;
}

/** Reports problems with the tenant's id and alias as problems with the slug. */
function inFormFields(error: unknown): unknown {
  if (!(error instanceof Failure) || !error.extras.errors) return error;
  const { id = [], aliases = [], ...others } = error.extras.errors;
  const slug = [...id, ...aliases];
  return invalid({ ...others, ...(slug.length > 0 ? { organization_slug: slug } : {}) });
}
