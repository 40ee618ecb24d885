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
  const problem = labelProblem(domain, await findOwnLabels(central));
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

const ownLabelsKey = 'platform.own_labels';

/** Labels of the installation, which no tenant may use: the hostname segments of rings and those of `APP_URL`. */
export async function findOwnLabels(central: Db): Promise<ReadonlySet<string>> {
  const rows = await central.rows<{ label: string }>(sql`
    SELECT hostname_segment AS label FROM module_rings
    UNION SELECT jsonb_array_elements_text(value) FROM platform_settings WHERE key = ${ownLabelsKey}`);
  return new Set(rows.map(({ label }) => label));
}

/** Records the labels of `APP_URL` if it is below the base domain, for every process and command. */
export async function recordOwnLabels(
  central: Db,
  { appUrl, baseDomain }: { readonly appUrl: string; readonly baseDomain: string },
): Promise<void> {
  const { hostname } = new URL(appUrl);
  const isBelow = hostname.endsWith(`.${baseDomain}`);
  const labels = isBelow ? hostname.slice(0, -baseDomain.length - 1).split('.') : [];
  await central.run(sql`
    INSERT INTO platform_settings (key, value) VALUES (${ownLabelsKey}, ${JSON.stringify(labels)})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE platform_settings.value <> excluded.value`);
}
