import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';
import type { ArchiveServices } from '../tenancy/archive-services.ts';
import { kernelRules, type Rules, type TableRules } from '../tenancy/archive-tables.ts';

/** The services that archives, copies and deletions of tenants use. */
export async function archiveServices(
  kernel: Kernel,
  onProgress: (line: string) => void = () => {},
): Promise<ArchiveServices> {
  const { central, databases, settings, secrets, files, jobs, modules, now } = kernel;
  const ctx = new Context(kernel, { requestId: 'archive', system: true });
  return {
    central,
    databases,
    settings,
    secrets,
    files,
    jobs,
    now,
    onProgress,
    teams: {
      exportTeam: (tenantId) => ctx.bus.call('identity.exportTeam', { tenantId }),
      findVerified: async (emails) => {
        const people = await ctx.bus.call('identity.findVerified', { emails });
        return new Map(people.map(({ email, id }) => [email, id]));
      },
      importTeam: (db, tenantId, team) => ctx.withCentral(db).bus.call('identity.importTeam', { tenantId, team }),
      removeTenant: async (db, { id, name }) => {
        await ctx.withCentral(db).bus.call('identity.removeTenant', { tenant: { id, name } });
      },
    },
    rules: collectRules(modules),
    modules: new Set(modules.filter(({ manifest }) => !manifest.system).map(({ alias }) => alias)),
  };
}

function collectRules(modules: Kernel['modules']): Rules {
  const tenantModules = modules.filter(({ manifest }) => !manifest.system);
  const declared = tenantModules.flatMap(({ alias, manifest }) =>
    Object.entries(manifest.data ?? {}).map(([table, rules]) => [table, { ...rules, module: alias }] as const),
  );
  return new Map<string, TableRules>([...Object.entries(kernelRules), ...declared]);
}

/** At most one line a second, so that a large tenant does not flood the terminal. */
export function throttled(progress: (line: string) => void): (line: string) => void {
  let reportedAt = 0;
  return (line) => {
    if (performance.now() - reportedAt < 1_000) return;
    reportedAt = performance.now();
    progress(`  ${line}`);
  };
}
