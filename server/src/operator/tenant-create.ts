import { type Db, Email, invalid, sql, Type } from '@chowk/kit/kernel';
import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';
import { completeNewTenant } from '../promotion/prepare-tenant.ts';
import { createTenant, type InTransaction, type NewTenant } from '../tenancy/tenants.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';

const roles = ['merchant', 'reseller', 'platform_owner'] as const;

export const tenantCreateCommand: Command = {
  name: 'tenant:create',
  usage:
    '<id> [--name=<text>] [--owner=<email>] [--alias=<label,…>] [--role=merchant|reseller|platform_owner] ' +
    '[--country=<code>] [--currency=<code>] [--timezone=<name>] [--json]',
  summary: 'create a tenant with its domains, its database and its owner',
  options: {
    name: { type: 'string' },
    owner: { type: 'string' },
    alias: { type: 'string' },
    role: { type: 'string' },
    country: { type: 'string' },
    currency: { type: 'string' },
    timezone: { type: 'string' },
  },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, config, say, table }, { positionals: [id = ''], options }) {
    const role = roles.find((name) => name === (options.role ?? 'merchant'));
    if (!role) throw new UsageError(`--role must be one of ${roles.join(', ')}`);
    const aliases = String(options.alias ?? '')
      .split(',')
      .filter(Boolean);
    const newTenant: NewTenant = { id, name: String(options.name ?? id), role, aliases };
    const kernel = await open();
    const owner = typeof options.owner === 'string' ? await prepareOwner(kernel, id, options.owner) : undefined;
    const tenant = await createTenant(kernel.central.db, kernel.databases, newTenant, async (db) => {
      await setRegion(kernel, db, id, options);
      await owner?.join(db);
    });
    await completeNewTenant(kernel, id);
    const welcome = owner?.welcome();
    const region = await readRegion(kernel, id);
    if (options.json) return table([{ ...tenant, ...region }], '');
    const { port } = new URL(config.appUrl);
    say(`Created ${tenant.id} (${tenant.name}) in the database ${tenant.database} of the server ${tenant.server}.`);
    for (const { domain } of tenant.domains) say(`  ${domain}.${config.baseDomain}${port && `:${port}`}`);
    say(`  country ${region.country}, ${region.currency}, time zone ${region.timezone}`);
    if (welcome) say(welcome);
  },
};

/** As the options say; without them the region of the platform stays or, if there is none yet, that of the machine is used. */
async function setRegion(kernel: Kernel, db: Db, tenantId: string, options: CommandInput['options']): Promise<void> {
  const { country, currency, timezone } = options as Record<string, string | undefined>;
  const given = {
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    ...(currency === undefined ? {} : { currency: currency.toUpperCase() }),
    ...(timezone === undefined ? {} : { timezone }),
  };
  const isInherited = await db.row(sql`
    SELECT FROM tenant_settings WHERE tenant_id = ${tenantId} AND key = 'general.country'`);
  if (isInherited && Object.keys(given).length === 0) return;
  const ctx = new Context(kernel, { requestId: 'tenant:create', system: true }).withCentral(db);
  await ctx.bus.callIfInstalled('installation.setRegion', { tenantId, region: given });
}

async function readRegion({ settings }: Kernel, tenantId: string) {
  const values = await settings.get(tenantId);
  return {
    country: values['general.country'],
    currency: values['general.currency'],
    timezone: values['general.timezone'],
  };
}

interface OwnerToBe {
  /** Runs in the transaction that creates the tenant. */
  readonly join: InTransaction;
  /** The next step, for the operator. */
  welcome(): string;
}

export async function prepareOwner(kernel: Kernel, tenantId: string, address: string): Promise<OwnerToBe> {
  const ctx = new Context(kernel, { requestId: 'tenant:create', system: true });
  const form = { email: address };
  const errors = ctx.check(Type.Object({ email: Email }), form);
  if (errors) throw invalid(errors);
  if (!(await ctx.bus.call('identity.isSeeded', {})))
    throw new Error('there is no role Owner yet; run chowkd install first');
  const { email } = form;
  let outcome = '';
  return {
    async join(db) {
      const name = email.split('@')[0] ?? email;
      const { bus } = ctx.withCentral(db);
      const isKnown = await bus.call('identity.isEmailTaken', { email });
      const owner = await bus.call('identity.inviteOwner', { tenantId, email, name });
      if (!owner) throw invalid({ owner: `The account ${email} is disabled.` });
      outcome = owner.userId === null ? invited : isKnown ? 'owns it and can sign in.' : created;
    },
    welcome: () => `${email} ${outcome}`,
  };
}

const invited = 'has an account and gets a mail with a link to agree to own it.';
const created = 'owns it and gets a mail with a link to choose a password.';
