import { type Db, sql } from '@chowk/kit/kernel';

/** A set of module versions that some tenants run. */
export interface Ring {
  readonly id: number;
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  /** The lock file: absolute, or relative to the folder of the platform. */
  readonly manifest_path: string;
  readonly k8s_namespace: string;
  readonly k8s_service: string;
  readonly hostname_segment: string;
  /** 0 is the most conservative. */
  readonly promotion_order: number;
  /** Whether tenants can be assigned to it. */
  readonly is_active: boolean;
  readonly is_default: boolean;
  /** The platform version of the process that started last. */
  readonly platform_version: string | null;
  readonly tenants: number;
}

/** All rings with their number of tenants, the most conservative first. */
export function listRings(db: Db): Promise<Ring[]> {
  return db.rows<Ring>(sql`
    SELECT r.id, r.name, r.display_name, r.description, r.manifest_path, r.k8s_namespace, r.k8s_service, r.hostname_segment,
      r.promotion_order, r.is_active, r.is_default, r.platform_version,
      (SELECT count(*)::int FROM tenants t WHERE t.module_ring_id = r.id) AS tenants
    FROM module_rings r ORDER BY r.promotion_order, r.name`);
}

export async function requireRing(db: Db, name: string): Promise<Ring> {
  const rings = await listRings(db);
  const ring = rings.find((one) => one.name === name);
  if (!ring) throw new Error(`there is no ring ${name}; the rings are ${rings.map((one) => one.name).join(', ')}`);
  return ring;
}

export interface RingTenant {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

export function listRingTenants(db: Db, ring: Pick<Ring, 'id'>): Promise<RingTenant[]> {
  return db.rows<RingTenant>(sql`SELECT id, name, status FROM tenants WHERE module_ring_id = ${ring.id} ORDER BY id`);
}

/** The version of the process that serves the ring. */
export async function recordPlatformVersion(db: Db, ring: string, version: string): Promise<void> {
  const isKnown = await db.row(sql`SELECT FROM module_rings WHERE name = ${ring} AND platform_version = ${version}`);
  // Every update of a ring invalidates the caches of all processes.
  if (!isKnown) await db.run(sql`UPDATE module_rings SET platform_version = ${version} WHERE name = ${ring}`);
}

/** What an operator did with a ring or a module. */
export interface RingOperation {
  readonly operator: string;
  readonly operation: string;
  readonly ring: string;
  readonly tenant_id?: string;
  readonly alias?: string;
  /** The ring of the tenant, or the version of the module. */
  readonly from_value?: string | undefined;
  readonly to_value?: string | undefined;
  readonly status?: 'done' | 'failed';
  readonly forced?: boolean;
  readonly reason?: string | undefined;
  readonly details?: unknown;
}

/** Returns the id of its row. */
export async function recordOperation(db: Db, operation: RingOperation): Promise<string> {
  const { status = 'done', forced = false, details = null } = operation;
  const row = await db.row<{ id: string }>(sql`
    INSERT INTO ring_operations
      (operator, operation, ring, tenant_id, alias, from_value, to_value, status, forced, reason, details)
    VALUES (${operation.operator}, ${operation.operation}, ${operation.ring}, ${operation.tenant_id ?? null},
      ${operation.alias ?? null}, ${operation.from_value ?? null}, ${operation.to_value ?? null}, ${status}, ${forced},
      ${operation.reason ?? null}, ${details === null ? null : JSON.stringify(details)}::jsonb)
    RETURNING id`);
  return String(row?.id);
}

/** What was recorded as done was not. */
export async function failOperation(db: Db, id: string): Promise<void> {
  await db.run(sql`UPDATE ring_operations SET status = 'failed' WHERE id = ${id}`);
}
