import { forbidden, type SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';
import type { TenantModule } from './schemas.ts';

interface ByAlias {
  readonly alias: string;
}

export async function listModules({ system, tenant }: SystemCtx): Promise<TenantModule[]> {
  const modules = await system.modules.list(tenant.id);
  const fields = system.graphql.fieldsByModule();
  return modules.map((module) => {
    const { isEnabled, isSystem, isInstalled, requires, actions, listeners, permissions, settings, ...rest } = module;
    const usedBy = modules.filter((one) => one.isEnabled && one.requires.includes(module.alias));
    return {
      ...rest,
      is_enabled: isEnabled,
      is_system: isSystem,
      is_installed: isInstalled,
      requires: [...requires],
      used_by: usedBy.map(({ alias }) => alias),
      provides: {
        actions,
        listeners,
        graphql_fields: [...(fields.get(module.alias) ?? [])],
        permissions: [...permissions],
        settings: [...settings],
      },
    };
  });
}

export function enableModule(ctx: SystemCtx, { alias }: ByAlias): Promise<TenantModule> {
  return changeModule(ctx, alias, 'enabled', async (module, modules) => {
    if (!module.is_installed && !ctx.can('modules.install')) throw forbidden('modules.install');
    const missing = module.requires.filter((name) => !modules.find((one) => one.alias === name)?.is_enabled);
    if (missing.length > 0) throw fail('rings.module_requires', { module: alias, modules: missing.join(', ') });
    if (!(await ctx.system.modules.isMigrated(ctx.tenant.id))) throw fail('rings.module_not_migrated');
  });
}

/** The data of the module stays. */
export function disableModule(ctx: SystemCtx, { alias }: ByAlias): Promise<TenantModule> {
  return changeModule(ctx, alias, 'disabled', async ({ is_system, used_by }) => {
    if (is_system) throw fail('rings.module_is_system', { module: alias });
    if (used_by.length > 0) throw fail('rings.module_in_use', { module: alias, modules: used_by.join(', ') });
  });
}

/** One change of a tenant's modules at a time, so that none is enabled while what it needs is being disabled. */
async function changeModule(
  ctx: SystemCtx,
  alias: string,
  status: 'enabled' | 'disabled',
  check: (module: TenantModule, modules: readonly TenantModule[]) => Promise<void>,
): Promise<TenantModule> {
  return ctx.system.runExclusively(`modules ${ctx.tenant.id}`, async () => {
    const modules = await listModules(ctx);
    const module = findModule(modules, alias);
    const isEnabled = status === 'enabled';
    if (module.is_enabled === isEnabled) return module;
    await check(module, modules);
    await ctx.system.modules.set(ctx.tenant.id, alias, status);
    ctx.audit({ is_enabled: [!isEnabled, isEnabled] });
    return findModule(await listModules(ctx), alias);
  });
}

function findModule(modules: readonly TenantModule[], alias: string): TenantModule {
  const module = modules.find((one) => one.alias === alias);
  if (!module) throw fail('rings.module_not_found', { module: alias });
  return module;
}
