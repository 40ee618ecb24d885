import { empty, join, type Route, route, type Sql, sql, Timestamp, Type, Uuid } from '@chowk/kit';

const Entry = Type.Object({
  id: Uuid,
  at: Timestamp,
  caller: Type.String(),
  operation: Type.String(),
  kind: Type.String(),
  user_id: Type.Union([Type.Integer(), Type.Null()]),
  request_id: Type.String(),
  duration_ms: Type.Number(),
  outcome: Type.String({ description: '`ok`, `refused` by the bus, or `failed`' }),
  error_code: Type.Union([Type.String(), Type.Null()]),
  input: Type.Unknown(),
});

const Filters = Type.Object({
  caller: Type.Optional(Type.String()),
  operation: Type.Optional(Type.String()),
  kind: Type.Optional(Type.String()),
  outcome: Type.Optional(Type.Enum(['ok', 'refused', 'failed'])),
  user_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  request_id: Type.Optional(Type.String()),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  to: Type.Optional(Type.String({ format: 'date-time' })),
  page: Type.Integer({ minimum: 1, maximum: 100_000, default: 1 }),
  per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
});

/** What modules have asked of each other. */
export const auditRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/audit',
    tag: 'Audit',
    summary: 'Calls over the bus, the newest first.',
    needs: 'audit.view',
    query: Filters,
    answer: Type.Object({
      audit: Type.Array(Entry),
      pagination: Type.Object({
        current_page: Type.Integer(),
        last_page: Type.Integer(),
        per_page: Type.Integer(),
        total: Type.Integer(),
      }),
    }),
    run: async (ctx, { query: { page, per_page, ...filters } }) => {
      const where = conditions(filters);
      const [audit, counted] = await Promise.all([
        ctx.db.rows<Record<string, never>>(sql`
          SELECT id, at, caller, operation, kind, user_id, request_id, duration_ms, outcome, error_code, input
          FROM module_bus_audit_log ${where} ORDER BY at DESC, id DESC
          LIMIT ${per_page} OFFSET ${(page - 1) * per_page}`),
        ctx.db.row<{ total: number }>(sql`SELECT count(*) AS total FROM module_bus_audit_log ${where}`),
      ]);
      const total = counted?.total ?? 0;
      const last_page = Math.max(1, Math.ceil(total / per_page));
      return { audit: audit as never, pagination: { current_page: page, last_page, per_page, total } };
    },
  }),
];

function conditions({ from, to, ...same }: Record<string, unknown>): Sql {
  const columns: Record<string, (value: unknown) => Sql> = {
    caller: (value) => sql`caller = ${value}`,
    operation: (value) => sql`operation = ${value}`,
    kind: (value) => sql`kind = ${value}`,
    outcome: (value) => sql`outcome = ${value}`,
    user_id: (value) => sql`user_id = ${value}`,
    request_id: (value) => sql`request_id = ${value}`,
  };
  const all = Object.entries(columns)
    .filter(([name]) => same[name] !== undefined)
    .map(([name, condition]) => condition(same[name]));
  if (from !== undefined) all.push(sql`at >= ${from}`);
  if (to !== undefined) all.push(sql`at <= ${to}`);
  return all.length === 0 ? empty : sql`WHERE ${join(all, ' AND ')}`;
}
