import {
  byTime,
  equals,
  list,
  Nullable,
  named,
  type Sql,
  type Static,
  type SystemCtx,
  since,
  sql,
  Timestamp,
  Type,
  UserId,
  Uuid,
  until,
} from '@chowk/kit';
import { UserReference, userReference } from '../user-reference.ts';

const Entry = named(
  'ActivityEntry',
  Type.Object({
    id: Uuid,
    at: Timestamp,
    action: Type.String({ examples: ['member_role_changed'] }),
    user: Nullable(UserReference),
    subject: Nullable(UserReference),
    details: Type.Record(Type.String(), Type.Unknown()),
    ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
  }),
);
type Entry = Static<typeof Entry>;
const OwnEntry = named('OwnActivityEntry', Type.Omit(Entry, ['user', 'subject']));

export const activityLog = list({
  name: 'activity',
  row: Entry,
  database: (ctx: SystemCtx) => ctx.central,
  from: visibleEntries,
  alias: sql`a`,
  columns: sql`a.id, a.at, a.action, a.details, a.ip, a.user_agent,
    ${userReference(sql`a.user_id`)} AS "user", ${userReference(sql`a.subject_id`)} AS subject`,
  filters: {
    action: equals(Type.String({ maxLength: 100 }), sql`a.action`),
    user_id: equals(UserId, sql`a.user_id`),
    from: since(sql`a.at`),
    to: until(sql`a.at`),
  },
  sorts: { at: byTime(sql`a.at`) },
  updatedAt: sql`a.at`,
  csv: {
    user: null,
    user_id: ({ user }: Entry) => user?.id,
    user_name: ({ user }: Entry) => user?.name,
    subject: null,
    subject_id: ({ subject }: Entry) => subject?.id,
    subject_name: ({ subject }: Entry) => subject?.name,
  },
});

/** What users did to their own accounts, in any tenant. */
export const ownActivity = list({
  name: 'activity',
  row: OwnEntry,
  database: (ctx: SystemCtx) => ctx.central,
  from: (ctx: SystemCtx) => sql`(SELECT * FROM activity_log WHERE user_id = ${ctx.user.id} AND subject_id = user_id) a`,
  alias: sql`a`,
  columns: sql`a.id, a.at, a.action, a.details, a.ip, a.user_agent`,
  filters: {},
  sorts: { at: byTime(sql`a.at`) },
  updatedAt: sql`a.at`,
});

/**
 * Entries of the tenant, and changes that its members made to their accounts since they joined. Their entries in other
 * tenants are not visible.
 */
function visibleEntries(ctx: SystemCtx): Sql {
  // One minute of tolerance: clocks differ, and an account may be created just before its membership.
  return sql`(
    SELECT a.* FROM activity_log a WHERE a.tenant_id = ${ctx.tenant.id}
    UNION ALL
    SELECT a.* FROM memberships m JOIN activity_log a ON a.user_id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND a.tenant_id IS NULL AND a.at >= m.created_at - interval '1 minute') a`;
}
