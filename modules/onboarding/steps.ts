import { invalid, type SystemCtx, slugify, sql } from '@chowk/kit';
import type { ApplicationRow } from './applications.ts';
import { copyCatalogue } from './catalogue.ts';
import { mailWelcome } from './mails.ts';
import type { StepName } from './schemas.ts';

/** A step of provisioning. It can be repeated: what exists already is left as it is. */
type Step = (ctx: SystemCtx, application: ApplicationRow) => Promise<void>;

/** Tried with numbers before a random suffix is added. */
const numberedAliases = 20;
/** A new tenant starts with these settings of its reseller. */
const inheritedSettings = ['general.country', 'general.currency', 'general.timezone'];

const chooseTenantId: Step = async ({ central, system }, { id, new_tenant_id }) => {
  if (new_tenant_id) return;
  const tenantId = await system.tenants.steps.newId();
  await central.run(
    sql`UPDATE reseller_applications SET tenant_id = ${tenantId} WHERE id = ${id} AND tenant_id IS NULL`,
  );
};

const createDatabase: Step = async ({ system }, application) => {
  const { business_name: name, tenant_role: role } = application;
  const id = mustHaveTenant(application);
  await system.tenants.steps.reserve({ id, name, role }, 'onboarding');
  await system.tenants.steps.createDatabase(id);
};

const addPrimaryDomain: Step = async ({ system }, application) => {
  const id = mustHaveTenant(application);
  if (!(await system.tenants.steps.addDomain(id, id, 'random'))) throw new Error(`the domain ${id} is taken`);
};

const addAlias: Step = async ({ system }, application) => {
  const id = mustHaveTenant(application);
  if (application.domains.some((domain) => domain !== id)) return;
  for (const alias of aliasesFor(application)) {
    if (await system.tenants.steps.addDomain(id, alias, 'alias')) return;
  }
  throw new Error('no alias could be added');
};

/** The preferred domain, then a slug of the business name with numbers, then one with the random id. */
export function* aliasesFor({
  preferred_domain,
  business_name,
  new_tenant_id,
}: Pick<ApplicationRow, 'preferred_domain' | 'business_name' | 'new_tenant_id'>): Generator<string> {
  if (preferred_domain) yield preferred_domain;
  const slug = slugify(business_name) || 'shop';
  yield slug;
  for (let number = 2; number <= numberedAliases; number += 1) yield `${slug}-${number}`;
  yield `${slug}-${new_tenant_id}`;
}

const addOwner: Step = async (ctx, application) => {
  const { id, owner_user_id, email, contact_name: name, password_hash: passwordHash } = application;
  if (owner_user_id !== null) return;
  await ctx.central.tx(async (db) => {
    const tenantId = mustHaveTenant(application);
    const newOwner = { tenantId, email, name, ...(passwordHash && { passwordHash }) };
    const owner = await ctx.withCentral(db).bus.call('identity.inviteOwner', newOwner);
    if (!owner) throw invalid({ email: `${email} cannot own an organization. Ask the operator of the platform.` });
    await db.run(sql`
      UPDATE reseller_applications SET owner_user_id = ${owner.userId}, password_hash = NULL WHERE id = ${id}`);
  });
};

const installModules: Step = async ({ central, system }, application) => {
  const id = mustHaveTenant(application);
  await central.run(sql`
    INSERT INTO tenant_settings (tenant_id, key, value)
    SELECT ${id}, key, value FROM tenant_settings
    WHERE tenant_id = ${application.parent_tenant_id} AND key = ANY(${inheritedSettings}) ON CONFLICT DO NOTHING`);
  await system.tenants.steps.activate(id);
};

const copyProducts: Step = (ctx, application) =>
  copyCatalogue(ctx, { parentId: application.parent_tenant_id, tenantId: mustHaveTenant(application) });

const complete: Step = async (ctx, { id }) => {
  await ctx.central.tx(async (tx) => {
    const changed = await tx.run(sql`
      UPDATE reseller_applications SET status = 'completed', rejection_reason = NULL, updated_at = ${ctx.now()}
      WHERE id = ${id} AND status = 'provisioning'`);
    if (changed > 0) await mailWelcome(ctx, tx, id);
    // In the same transaction: a completed application is not visited again.
    await tx.run(sql`
      UPDATE provisioning_steps SET status = 'completed', at = now() WHERE application_id = ${id} AND step = 'complete'`);
  });
};

export const steps: Readonly<Record<StepName, Step>> = {
  tenant_id: chooseTenantId,
  database: createDatabase,
  primary_domain: addPrimaryDomain,
  alias: addAlias,
  owner: addOwner,
  modules: installModules,
  products: copyProducts,
  complete,
};

function mustHaveTenant({ new_tenant_id }: ApplicationRow): string {
  if (!new_tenant_id) throw new Error('the application has no tenant id yet');
  return new_tenant_id;
}
