import { type Db, Failure, invalid, type SystemCtx, sql } from '@chowk/kit';
import { mustNotBeInstalled, tryToWriteMarker } from './installed.ts';
import { writeInstalledRow } from './marker.ts';
import { type NewOwner, readOwnerForm } from './owner-form.ts';
import type { OwnerCreated, OwnerForm } from './schemas.ts';

/**
 * Step 4: the first tenant with its database, and its owner. All of it is committed at once, together with the row that
 * says so; the marker file comes last.
 */
export function createOwner(ctx: SystemCtx, form: OwnerForm): Promise<OwnerCreated> {
  const owner = readOwnerForm(form);
  return ctx.platform.oneAtATime('install owner', async () => {
    await mustNotBeInstalled(ctx);
    const passwordHash = await ctx.platform.passwords.hash(owner.password);
    let id = 0;
    await makeTenant(ctx, owner, async (db) => {
      id = await addOwner(ctx, db, owner, passwordHash);
    });
    await tryToWriteMarker(ctx);
    const { slug, name, email } = owner;
    return {
      message: 'The platform is installed. Sign in.',
      tenant_id: slug,
      user: { id, name, email, email_verified: true, two_factor_enabled: false },
      redirect: '/login',
    };
  });
}

/** Who installs the platform is trusted to know the address. */
async function addOwner(
  ctx: SystemCtx,
  db: Db,
  { slug, name, email }: NewOwner,
  passwordHash: string,
): Promise<number> {
  const { platform } = ctx;
  const id = await platform.accounts.create(db, { name, email, passwordHash, emailVerified: true });
  if (id === undefined) throw invalid({ email: [`${email} is taken.`] });
  await platform.accounts.join(db, id, slug, 'Owner');
  await writeInstalledRow(db, { installed_at: ctx.now().toISOString(), version: platform.version });
  return id;
}

async function makeTenant(
  { central, platform }: SystemCtx,
  { slug, organization }: NewOwner,
  within: (db: Db) => Promise<void>,
): Promise<void> {
  if (await isHalfMade(central, slug)) {
    await platform.tenants.finish(slug, async (db) => {
      await db.run(sql`UPDATE tenants SET name = ${organization} WHERE id = ${slug}`);
      await within(db);
    });
    return;
  }
  try {
    await platform.tenants.create({ id: slug, name: organization, role: 'platform_owner' }, within);
  } catch (error) {
    throw inWordsOfTheForm(error);
  }
}

/** Left by a try that was interrupted: nobody else is at it while we are. */
async function isHalfMade(central: Db, slug: string): Promise<boolean> {
  const row = await central.row(sql`
    SELECT 1 FROM tenants WHERE id = ${slug} AND role = 'platform_owner' AND status = 'creating'`);
  return row !== undefined;
}

/** What is wrong with a tenant's id or alias is wrong with the field it came from. */
function inWordsOfTheForm(error: unknown): unknown {
  if (!(error instanceof Failure) || !error.extras.errors) return error;
  const { id = [], aliases = [], ...others } = error.extras.errors;
  const slug = [...new Set([...id, ...aliases])];
  return invalid({ ...others, ...(slug.length > 0 ? { organization_slug: slug } : {}) });
}
