import { type Db, type Sql, sql } from '@chowk/kit';

/** A user or API client with access that the person who took over an account has given. */
interface Intruder {
  readonly user_id: number;
  /** `null`: every tenant. */
  readonly tenant_id: string | null;
  readonly since: string;
}

export interface Takeover {
  readonly userId: number;
  /** When the account was taken over. */
  readonly since: string;
}

export interface Intruders {
  /** Whether an intruder did something: the columns of the user, the tenant and the time. */
  did(columns: { readonly by: Sql; readonly tenant: Sql; readonly at: Sql }): Sql;
}

/**
 * The account, and everyone who got access from it since the takeover: by an invitation, a higher role or an API
 * client; and whoever got access from one of those, in turn.
 */
export async function findIntruders(tx: Db, { userId, since }: Takeover): Promise<Intruders> {
  const rows = await tx.rows<Intruder>(sql`
    WITH RECURSIVE intruders AS (
      SELECT ${userId}::bigint AS user_id, NULL::text AS tenant_id, ${since}::timestamptz AS since
      UNION
      SELECT g.user_id, g.tenant_id, g.at FROM intruders t CROSS JOIN LATERAL (${grantsBy(sql`t.user_id`)}) g
      WHERE g.at >= t.since AND g.tenant_id = coalesce(t.tenant_id, g.tenant_id) AND g.user_id <> ${userId})
    SELECT user_id, tenant_id, min(since) AS since FROM intruders GROUP BY user_id, tenant_id`);
  const users = rows.map(({ user_id }) => user_id);
  const tenants = rows.map(({ tenant_id }) => tenant_id);
  const times = rows.map(({ since }) => since);
  return {
    did: ({ by, tenant, at }) => sql`${by} = ANY(${users}::bigint[]) AND EXISTS (
      SELECT FROM unnest(${users}::bigint[], ${tenants}::text[], ${times}::timestamptz[]) AS t (user_id, tenant_id, since)
      WHERE t.user_id = ${by} AND ${tenant} = coalesce(t.tenant_id, ${tenant}) AND ${at} >= t.since)`,
  };
}

/** Who got access from a user, in which tenant and when. */
function grantsBy(userId: Sql): Sql {
  return sql`
    SELECT i.accepted_by AS user_id, i.tenant_id, i.created_at AS at FROM invitations i
    WHERE i.invited_by = ${userId} AND i.accepted_by IS NOT NULL
    UNION ALL
    SELECT a.subject_id, a.tenant_id, a.at FROM activity_log a
    WHERE a.user_id = ${userId} AND a.action = 'member_role_changed'
      AND EXISTS (${permissionsByName(sql`'to'`)} EXCEPT ${permissionsByName(sql`'from'`)})
    UNION ALL
    SELECT c.user_id, c.tenant_id, c.created_at FROM oauth_clients c WHERE c.created_by = ${userId}
    UNION ALL
    SELECT c.user_id, c.tenant_id, c.secret_replaced_at FROM oauth_clients c WHERE c.secret_replaced_by = ${userId}`;
}

/** The permissions of the role that an entry `a` of the activity log names. */
function permissionsByName(field: Sql): Sql {
  return sql`SELECT p.permission FROM role_permissions p JOIN roles r ON r.id = p.role_id
    WHERE r.name = a.details ->> ${field} AND coalesce(r.tenant_id, a.tenant_id) = a.tenant_id`;
}
