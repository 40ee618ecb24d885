import { brokenQueries } from '../graphql/broken-queries.ts';
import { composeAll } from '../graphql/named-schema.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
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
