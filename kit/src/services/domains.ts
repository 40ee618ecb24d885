export interface TenantDomain {
  readonly domain: string;
  readonly kind: 'random' | 'alias';
  readonly created_at: string;
}

/** The domains of tenants: labels below the base domain, in lower case. */
export interface DomainsService {
  /** Why the domain is not available to any tenant: not a label, or reserved. */
  labelProblem(domain: string): Promise<string | undefined>;
  list(tenantId: string): Promise<TenantDomain[]>;
  /** Adds an alias. Throws 422 when the label is invalid, reserved or taken. */
  add(tenantId: string, domain: string): Promise<TenantDomain>;
  /** Removes an alias. Throws 404 when there is none, 409 when the domain cannot be removed. */
  remove(tenantId: string, domain: string): Promise<void>;
}
