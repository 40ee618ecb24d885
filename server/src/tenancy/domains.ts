import { type Db, sql, type TenantDomain, taken } from '@chowk/kit/kernel';
import { fail, invalid } from '../errors.ts';
import { labelProblem } from './labels.ts';

/** Beside the random domain. Otherwise a tenant could take all good names. */
const maxAliases = 20;

export function listDomains(central: Db, tenantId: string): Promise<TenantDomain[]> {
  return central.rows<TenantDomain>(sql`
    SELECT domain, kind, created_at FROM domains WHERE tenant_id = ${tenantId} ORDER BY kind DESC, created_at, domain`);
}

export async function addAlias(central: Db, tenantId: string, domain: string): Promise<TenantDomain> {
  const problem = labelProblem(domain, await ringSegments(central));
  if (problem) throw invalid({ domain: [problem] });
  return central.tx(async (tx) => {
    // Concurrent additions wait for each other, so that each of them counts.
    await tx.run(sql`SELECT FROM tenants WHERE id = ${tenantId} FOR NO KEY UPDATE`);
    const domains = await listDomains(tx, tenantId);
    if (domains.length > maxAliases) throw fail('tenancy.too_many_domains', { limit: maxAliases });
    const alias = await tx.row<TenantDomain>(sql`
      INSERT INTO domains (domain, tenant_id, kind) VALUES (${domain}, ${tenantId}, 'alias')
      ON CONFLICT (domain) DO NOTHING RETURNING domain, kind, created_at`);
    if (!alias) throw invalid({ domain: taken(`${domain} is taken.`) });
    return alias;
  });
}

/** The random domain and the tenant's id cannot be removed, because links and databases use them; nor can the last alias. */
export async function removeAlias(central: Db, tenantId: string, domain: string): Promise<void> {
  await central.tx(async (tx) => {
    const domains = await tx.rows<TenantDomain>(sql`
      SELECT domain, kind FROM domains WHERE tenant_id = ${tenantId} FOR UPDATE`);
    const row = domains.find((candidate) => candidate.domain === domain);
    if (!row) throw fail('tenancy.domain_not_found', { domain });
    const isLastAlias = domains.filter(({ kind }) => kind === 'alias').length === 1;
    if (row.kind === 'random' || domain === tenantId || isLastAlias) throw fail('tenancy.domain_permanent', { domain });
    await tx.run(sql`DELETE FROM domains WHERE domain = ${domain}`);
  });
}

/** The hostname segments of rings, which no tenant may use as a label. */
export async function ringSegments(central: Db): Promise<ReadonlySet<string>> {
  const rows = await central.rows<{ segment: string }>(sql`SELECT hostname_segment AS segment FROM module_rings`);
  return new Set(rows.map(({ segment }) => segment));
}
