import { type Static, type SystemCtx, sql, systemOperation, Timestamp, Type, Uuid } from '@chowk/kit';

const StoredEvent = Type.Object({
  id: Uuid,
  sequence: Type.Integer(),
  type: Type.String(),
  created_at: Timestamp,
  payload: Type.Unknown(),
});
type StoredEvent = Static<typeof StoredEvent>;

const Range = Type.Object({
  from: Type.Integer({ description: 'The first sequence.' }),
  to: Type.Optional(Type.Integer({ description: 'The last sequence.' })),
  limit: Type.Integer(),
});

export const operations = {
  'administration.findEvents': systemOperation({
    summary: 'Find events of the event log by their ids',
    input: Type.Object({ ids: Type.Array(Uuid) }),
    output: Type.Array(StoredEvent),
    run: findEvents,
  }),
  'administration.listEvents': systemOperation({
    summary: 'List a range of the event log',
    input: Range,
    output: Type.Array(StoredEvent),
    run: listEvents,
  }),
  'administration.lastEvent': systemOperation({
    summary: 'Get the sequence of the newest event',
    input: Type.Object({}),
    output: Type.Object({ sequence: Type.Integer({ description: '0 if there is none.' }) }),
    run: lastEvent,
  }),
};

const columns = sql`id, sequence, type, emitted_at AS created_at, payload`;

async function findEvents(ctx: SystemCtx, { ids }: { ids: string[] }): Promise<StoredEvent[]> {
  await ctx.system.eventLog.number(ctx.db);
  return ctx.db.rows<StoredEvent>(
    sql`SELECT ${columns} FROM event_log WHERE id = ANY(${ids}::uuid[]) ORDER BY sequence`,
  );
}

async function listEvents(ctx: SystemCtx, { from, to, limit }: Static<typeof Range>): Promise<StoredEvent[]> {
  await ctx.system.eventLog.number(ctx.db);
  return ctx.db.rows<StoredEvent>(sql`
    SELECT ${columns} FROM event_log WHERE sequence >= ${from} AND sequence <= coalesce(${to ?? null}::bigint, sequence)
    ORDER BY sequence LIMIT ${limit}`);
}

async function lastEvent(ctx: SystemCtx): Promise<{ sequence: number }> {
  await ctx.system.eventLog.number(ctx.db);
  const state = await ctx.db.row<{ sequence: number }>(sql`SELECT last_sequence AS sequence FROM event_log_state`);
  return { sequence: state?.sequence ?? 0 };
}
