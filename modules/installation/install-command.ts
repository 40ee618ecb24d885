import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type CommandInput, Issues, type ModuleCommand, type SystemCtx, type Terminal, UsageError } from '@chowk/kit';
import { isInstalled } from './installed.ts';
import { createOwner, explainPassword } from './owner.ts';
import { checkRequirements } from './requirements.ts';
import { NewOwner } from './schemas.ts';
import { seedData } from './seed-data.ts';
import { setUpDatabase } from './set-up-database.ts';
import { slugOf } from './slug.ts';

type Options = CommandInput['options'];

export const installCommand: ModuleCommand = {
  name: 'install',
  usage:
    '--organization=<name> --email=<address> [--slug=<id>] [--name=<text>] ' +
    '[--password=<text> | --password-file=<path or - for standard input>] [--json]',
  summary: 'install the platform; asks for missing options',
  options: {
    organization: { type: 'string' },
    slug: { type: 'string' },
    name: { type: 'string' },
    email: { type: 'string' },
    password: { type: 'string' },
    'password-file': { type: 'string' },
  },
  async run(ctx, { options }, terminal) {
    if (await isInstalled(ctx)) {
      throw new Error(`Chowk is already installed; sign in at ${ctx.system.url}/login, or see chowkd install:reset`);
    }
    const form = await readForm(options, terminal);
    // Before anything is changed.
    const issues = new Issues();
    issues.addAll(ctx.check(NewOwner, form));
    explainPassword(form, issues);
    issues.throwIfAny();
    await takeSteps(ctx, terminal);
    const { tenant_id, user } = await createOwner(ctx, form);
    terminal.progress(`✓ owner: ${user.name} <${user.email}> of ${form.organization_name}`);
    const signIn = { login: `${ctx.system.url}/login`, address: addressOf(ctx, tenant_id) };
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

async function readForm(options: Options, terminal: Terminal): Promise<NewOwner> {
  const organization = await readOption(options, terminal, 'organization', 'Name of the organization:');
  const slug = await readSlug(options, terminal, organization);
  const email = await readOption(options, terminal, 'email', 'Email address of the owner:');
  const name = textOf(options, 'name') ?? ((await terminal.ask('Name of the owner:')) || nameFrom(email));
  const { password, confirmation } = await readPassword(options, terminal);
  return {
    ...{ organization_name: organization, organization_slug: slug, name, email, password },
    password_confirmation: confirmation,
  };
}

async function readOption(options: Options, terminal: Terminal, option: string, question: string): Promise<string> {
  const value = textOf(options, option) ?? (await terminal.ask(question));
  if (value === undefined)
    throw new UsageError(`--${option} is missing; usage: chowkd install ${installCommand.usage}`);
  return value;
}

async function readSlug(options: Options, terminal: Terminal, organization: string): Promise<string> {
  const proposed = slugOf(organization);
  const question = `Id of the organization, part of its address; it cannot be changed${proposed && ` [${proposed}]`}:`;
  const slug = textOf(options, 'slug') ?? ((await terminal.ask(question)) || proposed);
  if (slug === '')
    throw new UsageError(`the name ${organization} contains no characters for an id; set one with --slug`);
  return slug;
}

async function readPassword(options: Options, terminal: Terminal): Promise<{ password: string; confirmation: string }> {
  const [direct, file] = [textOf(options, 'password'), textOf(options, 'password-file')];
  if (direct !== undefined && file !== undefined) {
    throw new UsageError('use either --password or --password-file, not both');
  }
  const ready = direct ?? (file === undefined ? undefined : await readPasswordFile(file));
  if (ready !== undefined) return { password: ready, confirmation: ready };
  const password = await terminal.ask('Password:', { hidden: true });
  if (password === undefined)
    throw new UsageError('the password is missing; set it with --password-file=<path or -> or --password');
  return { password, confirmation: (await terminal.ask('Repeat the password:', { hidden: true })) ?? '' };
}

/** The line break at the end of the file is not part of the password. */
async function readPasswordFile(file: string): Promise<string> {
  try {
    const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
    return content.replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`the password file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** `asha.rao@example.com` becomes Asha Rao. */
function nameFrom(email: string): string {
  const words = (email.split('@')[0] ?? '').split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || 'Owner';
}

function addressOf({ system: { url, baseDomain } }: SystemCtx, tenantId: string): string {
  const address = new URL(url);
  address.hostname = `${tenantId}.${baseDomain}`;
  return address.origin;
}

function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}
