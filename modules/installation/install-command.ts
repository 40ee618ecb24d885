import { type ModuleCommand, readValid, type SystemCtx, type Terminal } from '@chowk/kit';
import { isInstalled } from './installed.ts';
import { checkOwner, createOwner } from './owner.ts';
import { readForm } from './owner-form.ts';
import { checkRequirements } from './requirements.ts';
import { seedData } from './seed-data.ts';
import { setUpDatabase } from './set-up-database.ts';

const usage =
  '--organization=<name> --email=<address> [--slug=<id>] [--name=<text>] ' +
  '[--country=<code>] [--currency=<code>] [--timezone=<name>] ' +
  '[--password=<text> | --password-file=<path or - for standard input>] [--json]';

export const installCommand: ModuleCommand = {
  name: 'install',
  usage,
  summary: 'install the platform; asks for missing options',
  options: {
    organization: { type: 'string' },
    slug: { type: 'string' },
    name: { type: 'string' },
    email: { type: 'string' },
    country: { type: 'string' },
    currency: { type: 'string' },
    timezone: { type: 'string' },
    password: { type: 'string' },
    'password-file': { type: 'string' },
  },
  async run(ctx, { options }, terminal) {
    if (await isInstalled(ctx)) {
      throw new Error(`Chowk is already installed; sign in at ${ctx.system.url}/login, or see chowkd install:reset`);
    }
    const form = await readForm(ctx, options, terminal, usage);
    await takeSteps(ctx, terminal);
    await readValid((issues) => checkOwner(ctx, form, issues));
    const { tenant_id, user, country, currency, timezone } = await createOwner(ctx, form);
    terminal.progress(
      `✓ organization: ${form.organization_name}, country ${country}, ${currency}, time zone ${timezone}`,
    );
    terminal.progress(`✓ owner: ${user.name} <${user.email}>`);
    const signIn = { login: `${ctx.system.url}/login`, address: formatAddress(ctx, tenant_id) };
    if (options.json) return terminal.table([{ tenant_id, user_id: user.id, email: user.email, ...signIn }], '');
    terminal.say(`Chowk is installed. Sign in as ${user.email} at ${signIn.login}`);
    terminal.say(`${form.organization_name} is at ${signIn.address}`);
  },
};

async function takeSteps(ctx: SystemCtx, { progress }: Terminal): Promise<void> {
  const { requirements } = await checkRequirements(ctx);
  const missing = requirements.filter(({ passed }) => !passed);
  for (const { label, detail } of missing) progress(`✗ ${label}: ${detail}`);
  if (missing.length > 0) throw new Error(`${missing.length} of ${requirements.length} requirements are not met`);
  progress(`✓ requirements: all ${requirements.length} are met`);
  const { applied, skipped, keys_created } = await setUpDatabase(ctx);
  progress(`✓ database: ${applied + skipped} migrations, ${keys_created ? 'new signing keys' : 'signing keys'}`);
  const { roles, permissions, modules, settings } = await seedData(ctx);
  progress(`✓ seed: ${roles} roles, ${permissions} permissions, ${modules} modules, ${settings} settings`);
}

function formatAddress({ system: { url, baseDomain } }: SystemCtx, tenantId: string): string {
  const address = new URL(url);
  address.hostname = `${tenantId}.${baseDomain}`;
  return address.origin;
}
