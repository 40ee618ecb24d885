import { invalid, matchesEvent, type SystemCtx, setCursors, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import type { Event, EventPage, EventQuery } from './schemas.ts';

/** Other processes do not tell this one that they have committed events. */
const askEveryMs = 1_000;
type DeclaredEvent = SystemCtx['declaredEvents'][string];

const viewSensitive = 'customers.view_sensitive';

/** The next events that the caller may get. With `wait`, the request waits until there is one. */
export async function readEvents(ctx: SystemCtx, query: EventQuery): Promise<EventPage> {
  checkTypes(ctx, query.type ?? []);
  if (query.wait === 0) return readPage(ctx, query);
  const leave = ctx.system.eventLog.enter(ctx.tenant.id, String(ctx.userId));
  if (!leave) throw fail('events.too_many_waiting', {}, { headers: { 'Retry-After': '5' } });
  try {
    return await waitForEvents(ctx, query);
  } finally {
    leave();
  }
}

/** A misspelled type would never match. */
function checkTypes(ctx: SystemCtx, patterns: readonly string[]): void {
  const names = Object.keys(ctx.declaredEvents).sort();
  const isKnown = (pattern: string) => names.some((name) => matchesEvent(pattern, name));
  const unknown = patterns
    .map((pattern, index) => [index, pattern] as const)
    .filter(([, pattern]) => !isKnown(pattern));
  if (unknown.length === 0) return;
  const known = names.join(', ');
  throw invalid(
    Object.fromEntries(
      unknown.map(([index, name]) => [`type.${index}`, `There is no event ${name}. There are: ${known}.`]),
    ),
  );
}

async function waitForEvents(ctx: SystemCtx, query: EventQuery): Promise<EventPage> {
  const until = Date.now() + query.wait * 1_000;
  for (;;) {
    const committed = ctx.system.eventLog.next(ctx.tenant.id, askEveryMs);
    const page = await readPage(ctx, query);
    if (page.events.length > 0 || Date.now() >= until || ctx.system.eventLog.isStopping()) return page;
    await committed;
  }
}

async function readPage(ctx: SystemCtx, { cursor, type, resource_id, from, limit }: EventQuery): Promise<EventPage> {
  const { events: allowed } = await ctx.audience();
  const names = Object.keys(allowed).filter((name) => !type || type.some((pattern) => matchesEvent(pattern, name)));
  await ctx.system.eventLog.number(ctx.db);
  const after = Number(cursor ?? 0);
  const last = await checkCursor(ctx, cursor === undefined ? undefined : after);
  const rows = await ctx.db.rows<StoredEvent>(sql`
    SELECT id, sequence, type, resource_id, emitted_at AS created_at, payload FROM event_log
    WHERE sequence > ${after} AND type = ANY(${names}::text[])
      AND (${resource_id ?? null}::text IS NULL OR resource_id = ${resource_id ?? null})
      AND (${from ?? null}::timestamptz IS NULL OR emitted_at >= ${from ?? null})
    ORDER BY sequence LIMIT ${limit + 1}`);
  const page = rows.slice(0, limit);
  const end = page.at(-1)?.sequence ?? after;
  const hasMore = rows.length > limit;
  const events = page.map((row) => present(ctx, row, allowed[row.type] as DeclaredEvent));
  // At the end, the events that the query leaves out are skipped.
  const pagination = { next_cursor: String(hasMore ? end : Math.max(end, last)), has_more: hasMore };
  return setCursors({ events, pagination }, (index) => {
    const event = events.at(index);
    return event && String(event.sequence);
  });
}

type StoredEvent = Omit<Event, 'tenant_id' | 'data'> & { readonly payload: unknown };

/** Returns the last number. Throws if events after the cursor have been deleted, or if the cursor was never issued. */
async function checkCursor(ctx: SystemCtx, after: number | undefined): Promise<number> {
  const state = (await ctx.db.row<{ last: number; first: number }>(sql`
    SELECT last_sequence AS last,
      coalesce((SELECT min(sequence) FROM event_log WHERE sequence IS NOT NULL), last_sequence + 1) AS first
    FROM event_log_state`)) ?? { last: 0, first: 1 };
  if (after === undefined) return state.last;
  if (after > state.last) throw invalid({ cursor: 'The cursor is not valid. Use the next_cursor of a response.' });
  if (after < state.first - 1) {
    const { 'events.retention_days': days } = await ctx.settings();
    throw fail('events.cursor_expired', { days });
  }
  return state.last;
}

function present(ctx: SystemCtx, { payload, ...event }: StoredEvent, declared: DeclaredEvent): Event {
  return { ...event, tenant_id: ctx.tenant.id, data: ctx.can(viewSensitive) ? payload : mask(ctx, payload, declared) };
}

function mask(ctx: SystemCtx, payload: unknown, { mask: own, sensitiveFields }: DeclaredEvent): unknown {
  if (own) return own(ctx, payload);
  if (sensitiveFields.size === 0) return payload;
  return withoutFields(payload, sensitiveFields, '');
}

/** The items of a list have the path of the list. */
function withoutFields(value: unknown, paths: ReadonlySet<string>, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, paths, path));
  if (typeof value !== 'object' || value === null) return paths.has(path) ? null : value;
  const fields = Object.entries(value).map(([name, inner]) => {
    const innerPath = path === '' ? name : `${path}.${name}`;
    return [name, withoutFields(inner, paths, innerPath)];
  });
  return Object.fromEntries(fields);
}
