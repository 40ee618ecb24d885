import { type ModuleHooks, sql } from '@chowk/kit/kernel';
import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
import { hookLines } from '../packages/child-steps.ts';
import { requireTenant } from '../tenancy/resolve-tenant.ts';
import { type Command, UsageError } from './command.ts';

const names: readonly (keyof ModuleHooks)[] = ['install', 'upgrade', 'uninstall'];

export const moduleHookCommand: Command = {
  name: 'module:hook',
  usage: '<alias> (install | upgrade | uninstall) [--from=<version>] [--to=<version>]',
  summary: 'run a hook of a module for each tenant of the ring that has it, as module:install and others do',
  options: { from: { type: 'string', default: '' }, to: { type: 'string', default: '' } },
  positionals: { min: 2, max: 2 },
  async run({ kernel: open, say }, { positionals: [alias, hook], options }) {
    const name = names.find((one) => one === hook);
    if (!name) throw new UsageError(`there is no hook ${hook}; choose from ${names.join(', ')}`);
    const kernel = await open();
    const module = kernel.modules.find((one) => one.alias === alias);
    if (!module) throw new Error(`the ring ${kernel.config.ringName} has no module ${alias}`);
    if (module.definition.hooks?.[name] || name === 'upgrade') {
      for (const tenant of await listTenants(kernel, module, name)) {
        say(`${hookLines.tenant}${tenant}`);
        await runHook(kernel, module, name, tenant, { from: String(options.from), to: String(options.to) });
      }
    }
    say(hookLines.done);
  },
};

async function runHook(
  kernel: Kernel,
  { alias, definition, manifest }: LoadedModule,
  name: keyof ModuleHooks,
  tenantId: string,
  change: { from: string; to: string },
): Promise<void> {
  const tenant = await requireTenant(kernel.directory, tenantId);
  const ctx = new Context(kernel, { requestId: `${alias}.${name}`, module: alias, tenant, system: true });
  await definition.hooks?.[name]?.(ctx, change);
  // Tenants cannot see system modules.
  if (name === 'upgrade' && !manifest.system) await notifyUpgraded(ctx, manifest, change);
}

async function notifyUpgraded(
  ctx: Context,
  { alias, name }: LoadedModule['manifest'],
  { from, to }: { from: string; to: string },
): Promise<void> {
  await ctx.notify('members', {
    type: 'module.upgraded',
    title: `The module ${name} was upgraded to version ${to}`,
    body: `From version ${from}`,
    icon: 'Package',
    action_url: `/settings/modules?edit=${alias}`,
    action_label: 'Open the module',
    group_key: `module.upgraded ${name}`.slice(0, 100),
  });
}

/** The active tenants of the ring that have the module; before it is removed, they have it disabled. */
async function listTenants(
  { central, config, installations }: Kernel,
  { alias, manifest }: LoadedModule,
  name: keyof ModuleHooks,
): Promise<string[]> {
  if (name !== 'uninstall' || manifest.system) return installations.tenantsWith(manifest.system ? undefined : alias);
  const rows = await central.db.rows<{ id: string }>(sql`
    SELECT t.id FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id
      JOIN module_installations i ON i.tenant_id = t.id
    WHERE r.name = ${config.ringName} AND i.alias = ${alias} AND t.status = 'active' ORDER BY 1`);
  return rows.map(({ id }) => id);
}
