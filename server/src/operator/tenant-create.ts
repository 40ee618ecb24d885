import { Email, invalid, Type } from '@chowk/kit/kernel';
import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';
import { createTenant, type InTransaction, type NewTenant } from '../tenancy/tenants.ts';
import { type Command, UsageError } from './command.ts';

const roles = ['merchant', 'reseller', 'platform_owner'] as const;

export const tenantCreateCommand: Command = {
  name: 'tenant:create',
  usage:
    '<id> [--name=<text>] [--owner=<email>] [--alias=<label,…>] [--role=merchant|reseller|platform_owner] [--json]',
  summary: 'create a tenant with its domains, its database and its owner',
  options: { name: { type: 'string' }, owner: { type: 'string' }, alias: { type: 'string' }, role: { type: 'string' } },
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
    const tenant = await createTenant(kernel.central.db, kernel.databases, newTenant, owner?.join);
    const welcome = owner?.welcome();
    if (options.json) return table([tenant], '');
    const { port } = new URL(config.appUrl);
    say(`Created ${tenant.id} (${tenant.name}) in the database ${tenant.database} of the server ${tenant.server}.`);
    for (const { domain } of tenant.domains) say(`  ${domain}.${config.baseDomain}${port && `:${port}`}`);
    if (welcome) say(welcome);
  },
};

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
  let isNew = false;
  return {
    async join(db) {
      const name = email.split('@')[0] ?? email;
      const owner = await ctx.withCentral(db).bus.call('identity.addOwner', { tenantId, email, name });
      if (!owner) throw invalid({ owner: `${email} belongs to a user who has not verified it.` });
      isNew = owner.isNew;
    },
    welcome: () =>
      isNew
        ? `${email} owns it and gets a mail with a link to choose a password.`
        : `${email} owns it and can sign in.`,
  };
}
