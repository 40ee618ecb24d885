import {
  offsetOf,
  paginationOf,
  paging,
  type Sql,
  type Static,
  type SystemCtx,
  sql,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit';

const Somebody = Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()]);
const MaybeText = Type.Union([Type.String(), Type.Null()]);

export const Entry = Type.Object({
  id: Uuid,
  at: Timestamp,
  action: Type.String(),
  user: Somebody,
  subject: Somebody,
  details: Type.Record(Type.String(), Type.Unknown()),
  ip: MaybeText,
  user_agent: MaybeText,
});
export type Entry = Static<typeof Entry>;

export const Filters = Type.Object({
  action: Type.Optional(Type.String({ maxLength: 100 })),
  user_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  to: Type.Optional(Type.String({ format: 'date-time' })),
});
export type Filters = Static<typeof Filters>;

export const ActivityQuery = Type.Object({ ...Filters.properties, ...paging });

export async function listActivity(ctx: SystemCtx, { page, per_page, ...filters }: Static<typeof ActivityQuery>) {
  const wanted = { page, per_page };
  const visible = visibleEntries(ctx, filters);
  const [activity, counted] = await Promise.all([
    ctx.central.rows<Entry>(sql`
      ${withNames(sql`SELECT * FROM (${visible}) a ORDER BY at DESC, id DESC LIMIT ${per_page} OFFSET ${offsetOf(wanted)}`)}`),
    ctx.central.row<{ total: number }>(sql`SELECT count(*) AS total FROM (${visible}) a`),
  ]);
  return { activity, pagination: paginationOf(wanted, counted?.total ?? 0) };
}

/**
 * All of it, piece by piece, each from where the one before ended. Nothing of the central database is held while the
 * reader takes its time: all tenants share it.
 */
export async function* streamActivity(ctx: SystemCtx, filters: Filters): AsyncGenerator<Entry> {
  const visible = visibleEntries(ctx, filters);
  let before = sql``;
  for (;;) {
    const piece = await ctx.central.rows<Entry & { exactly: string }>(
      withNames(sql`SELECT * FROM (${visible}) a ${before} ORDER BY at DESC, id DESC LIMIT ${pieceRows}`),
    );
    yield* piece;
    const last = piece.at(-1);
    if (!last || piece.length < pieceRows) return;
    before = sql`WHERE (at, id) < (${last.exactly}::timestamptz, ${last.id}::uuid)`;
  }
}

const pieceRows = 500;

/**
 * What happened in the tenant, and what its members have done to their accounts since they joined. What they have done
 * in other tenants, or before, is nobody's business here.
 */
function visibleEntries(ctx: SystemCtx, filters: Filters): Sql {
  const columns = sql`a.id, a.at, a.action, a.user_id, a.subject_id, a.details, a.ip, a.user_agent`;
  const where = conditions(filters);
  // Two clocks are never quite the same, and an account may be made just before its membership.
  return sql`
    SELECT ${columns} FROM activity_log a WHERE a.tenant_id = ${ctx.tenant.id} ${where}
    UNION ALL
    SELECT ${columns} FROM memberships m JOIN activity_log a ON a.user_id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND a.tenant_id IS NULL AND a.at >= m.created_at - interval '1 minute' ${where}`;
}

function conditions({ action, user_id, from, to }: Filters): Sql {
  return sql`${action === undefined ? sql`` : sql`AND a.action = ${action}`}
    ${user_id === undefined ? sql`` : sql`AND a.user_id = ${user_id}`}
    ${from === undefined ? sql`` : sql`AND a.at >= ${from}::timestamptz`}
    ${to === undefined ? sql`` : sql`AND a.at <= ${to}::timestamptz`}`;
}

function withNames(entries: Sql): Sql {
  return sql`
    SELECT a.id, a.at, a.at::text AS exactly, a.action, a.details, a.ip, a.user_agent,
      CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'name', u.name) END AS "user",
      CASE WHEN s.id IS NOT NULL THEN json_build_object('id', s.id, 'name', s.name) END AS subject
    FROM (${entries}) a LEFT JOIN users u ON u.id = a.user_id LEFT JOIN users s ON s.id = a.subject_id
    ORDER BY a.at DESC, a.id DESC`;
}
