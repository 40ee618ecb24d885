import { type Db, sql } from '@chowk/kit/kernel';

export interface RecordedOperation {
  readonly id: string;
  readonly at: string;
  readonly operator: string;
  readonly operation: string;
  readonly ring: string;
  readonly tenant_id: string | null;
  readonly alias: string | null;
  readonly from_value: string | null;
  readonly to_value: string | null;
  readonly status: string;
  readonly forced: boolean;
  readonly reason: string | null;
  readonly details: unknown;
}

/** What operators did, the latest first: everything, or with one tenant. */
export function listOperations(db: Db, tenantId: string | undefined, limit: number): Promise<RecordedOperation[]> {
  return db.rows<RecordedOperation>(sql`
    SELECT id, at, operator, operation, ring, tenant_id, alias, from_value, to_value, status, forced, reason, details
    FROM ring_operations WHERE coalesce(tenant_id = ${tenantId ?? null}, ${tenantId === undefined}) ORDER BY id DESC LIMIT ${limit}`);
}
