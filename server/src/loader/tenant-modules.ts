import { type Db, type DescribedEntry, type ModulesService, sql, type TenantModule } from '@chowk/kit/kernel';
import { describeEntries, offerEntry } from './console-entries.ts';
import { consolePath } from './console-files.ts';
import type { Installations } from './installations.ts';
import type { LoadedModule } from './load-modules.ts';
import { consumedOperation } from './manifest.ts';
import { collectPermissions } from './permissions.ts';

interface Dependencies {
  readonly central: Db;
  readonly modules: readonly LoadedModule[];
  readonly installations: Installations;
  /** The migrations of tenant databases that this ring needs. */
  readonly migrationIds: readonly string[];
}

/** `ctx.system.modules`. */
export function modulesService({ central, modules, installations, migrationIds }: Dependencies): ModulesService {
  const described = modules.map((module) => describe(module, modules));
  const entries = modules.flatMap((module) => describeEntries(module).map((offer) => ({ ...offer, module })));
  return {
    async list(tenantId) {
      const rows = await central.rows<{ alias: string; status: string }>(
        sql`SELECT alias, status FROM module_installations WHERE tenant_id = ${tenantId}`,
      );
      const states = new Map(rows.map(({ alias, status }) => [alias, status]));
      return described.map((module) => ({
        ...module,
        isEnabled: module.isSystem || states.get(module.alias) === 'enabled',
        isInstalled: module.isSystem || states.has(module.alias),
      }));
    },
    isMigrated: async (tenantId) =>
      (await central.row(sql`
        SELECT FROM tenant_migrations
        WHERE tenant_id = ${tenantId} AND status = 'done' AND applied @> ${migrationIds}::text[]`)) !== undefined,
    set: (tenantId, alias, status) => installations.set(tenantId, alias, status),
    async consoleEntries(tenantId, can) {
      const offered: DescribedEntry[] = [];
      for (const { module, component, ...offer } of entries) {
        const entry = (await installations.has(tenantId, module.alias)) ? offerEntry(offer, can) : undefined;
        const script = component === undefined ? null : consolePath(tenantId, module, component);
        if (entry) offered.push({ ...entry, script });
      }
      return offered;
    },
  };
}

function describe(
  module: LoadedModule,
  modules: readonly LoadedModule[],
): Omit<TenantModule, 'isEnabled' | 'isInstalled'> {
  const { alias, manifest, definition } = module;
  return {
    alias,
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    isSystem: manifest.system ?? false,
    requires: requiredModules(module, modules),
    actions: Object.keys(definition.actions ?? {}).length,
    listeners: (definition.listeners ?? []).length,
    permissions: collectPermissions([module]).map(({ name }) => name),
    settings: (manifest.settings ?? []).map(({ key }) => key),
  };
}

/** The modules that provide the operations which it consumes and cannot work without. */
function requiredModules({ alias, manifest }: LoadedModule, modules: readonly LoadedModule[]): string[] {
  const operations = (manifest.api?.consumes ?? []).map(consumedOperation).filter(({ optional }) => !optional);
  const providers = operations.flatMap(({ operation }) =>
    modules.filter(({ definition: { actions, operations: own } }) => actions?.[operation] ?? own?.[operation]),
  );
  return [...new Set(providers.map((provider) => provider.alias))].filter((one) => one !== alias).sort();
}
