import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import { brokenQueries } from '../graphql/broken-queries.ts';
import { composeAll } from '../graphql/named-schema.ts';
import { type LoadedModule, loadLockedModules } from '../loader/load-modules.ts';
import type { LockFile } from '../loader/lock-file.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/** One change can break a query of each tenant. */
const maxListed = 100;

/** For each persisted query that becomes invalid: its tenant, its name and the reason. */
export async function queryProblems(
  tenants: AsyncIterable<TenantEntry> | Iterable<TenantEntry>,
  { from, to }: { readonly from: readonly LoadedModule[]; readonly to: readonly LoadedModule[] },
): Promise<string[]> {
  const problems: string[] = [];
  let count = 0;
  for await (const query of brokenQueries(tenants, { from: composeAll(from), to: composeAll(to) })) {
    if (count++ >= maxListed) continue;
    problems.push(
      `the persisted operation ${query.name} (${query.hash}) of ${query.tenant} would fail: ${query.error}`,
    );
  }
  if (count > maxListed) problems.push(`${count - maxListed} more persisted operations would fail`);
  return problems;
}

/** The same for the modules of two lock files. */
export async function lockedQueryProblems(
  config: Config,
  tenants: Iterable<TenantEntry>,
  { from, to }: { readonly from: LockFile; readonly to: LockFile },
): Promise<string[]> {
  if (isDeepStrictEqual(from.modules, to.modules)) return [];
  const modules = { from: await loadLockedModules(config, from), to: await loadLockedModules(config, to) };
  return queryProblems(tenants, modules);
}
