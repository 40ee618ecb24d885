import { type Ctx, insertRecords, job, sql, Type } from '@chowk/kit';
import { fail } from './errors.ts';

/*
 * Figures are kept by day. A change of an order notes its day in its own transaction; a report first calculates those days again. Each
 * step is a transaction under one lock, so that a report that is interrupted has not worked in vain.
 */

export const jobs = {
  // So that the first report of a morning is fast, and changes do not pile up where nobody reads reports.
  'reports.refresh': job({ data: Type.Object({}), schedule: '7 3 * * *', run: (ctx) => refreshFigures(ctx) }),
};

/** How long a request calculates. What is then missing is left to the next one. */
const requestMs = 10_000;

/**
 * Afterwards the figures of these days are those of all orders that were committed before the call. Throws if there is too much to
 * calculate for one request; the next one goes on.
 */
export async function refreshPeriod(ctx: Ctx, days: Range, limitMs = requestMs): Promise<void> {
  const end = performance.now() + limitMs;
  await refreshFigures(ctx, days, async () => {
    if (performance.now() < end) return;
    const percent = await readPercent(ctx, days);
    if (percent < 100) throw fail('reports.calculating', { percent });
  });
}

async function refreshFigures(ctx: Ctx, days: Range = allDays, afterStep = async () => {}): Promise<void> {
  const { 'general.timezone': timezone } = await ctx.settings();
  if (await areCurrent(ctx, timezone, days)) return;
  await ctx.tx((tx) => takeChanges(tx, timezone));
  while (await ctx.tx((tx) => refreshRange(tx, timezone, days))) await afterStep();
}

interface Range {
  readonly from: string;
  readonly to: string;
}

const allDays: Range = { from: '-infinity', to: 'infinity' };

const isPending = ({ from, to }: Range) => sql`first_day <= ${to}::date AND last_day >= ${from}::date`;

/** Changes are looked for first: who takes them makes them pending in the same transaction. */
async function areCurrent(ctx: Ctx, timezone: string, days: Range): Promise<boolean> {
  if (await ctx.bus.callIfInstalled('orders.hasChangedDays', {})) return false;
  const row = await ctx.db.row<{ current: boolean }>(sql`
    SELECT timezone = ${timezone} AND NOT EXISTS (SELECT FROM daily_figures_pending WHERE ${isPending(days)}) AS current
    FROM daily_figures_state`);
  return row?.current ?? false;
}

/** How many of these days have figures. */
async function readPercent(ctx: Ctx, days: Range): Promise<number> {
  const { from, to } = days;
  const row = await ctx.db.row<{ percent: number }>(sql`
    SELECT floor(100 - 100.0 * least(pending, total) / total)::integer AS percent
    FROM (
      SELECT ${to}::date - ${from}::date + 1 AS total, coalesce(sum(least(last_day, ${to}::date) - greatest(first_day, ${from}::date) + 1), 0) AS pending
      FROM daily_figures_pending WHERE ${isPending(days)}) AS days`);
  return row?.percent ?? 100;
}

const lock = (ctx: Ctx) => ctx.db.run(sql`SELECT pg_advisory_xact_lock(hashtext('daily_figures'))`);

async function takeChanges(ctx: Ctx, timezone: string): Promise<void> {
  await lock(ctx);
  const state = await ctx.db.row<{ timezone: string }>(sql`SELECT timezone FROM daily_figures_state`);
  const changed = (await ctx.bus.callIfInstalled('orders.takeChangedDays', { timezone })) ?? [];
  if (state?.timezone === timezone) await addPending(ctx, changed);
  else await startAnew(ctx, timezone);
}

/** In another time zone, orders belong to other days. */
async function startAnew(ctx: Ctx, timezone: string): Promise<void> {
  await ctx.db.run(sql`DELETE FROM daily_figures`);
  await ctx.db.run(sql`DELETE FROM daily_figures_pending`);
  await ctx.db.run(sql`
    INSERT INTO daily_figures_state (timezone) VALUES (${timezone})
    ON CONFLICT (id) DO UPDATE SET timezone = excluded.timezone`);
  await addPending(ctx, (await ctx.bus.callIfInstalled('orders.listDays', { timezone })) ?? []);
  // A report calculates only the days that it shows.
  await ctx.jobs.add('reports.refresh', {});
}

async function addPending(ctx: Ctx, ranges: readonly Range[]): Promise<void> {
  await ctx.db.run(sql`
    INSERT INTO daily_figures_pending
    SELECT "from", "to" FROM jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) AS range ("from" date, "to" date)
    ON CONFLICT DO NOTHING`);
}

/** Calculates the latest of the pending days again; false if there are none, or if another process now uses another time zone. */
async function refreshRange(ctx: Ctx, timezone: string, days: Range): Promise<boolean> {
  await lock(ctx);
  const range = await ctx.db.row<Range>(sql`
    DELETE FROM daily_figures_pending
    WHERE (first_day, last_day) = (
        SELECT first_day, last_day FROM daily_figures_pending WHERE ${isPending(days)} ORDER BY last_day DESC, first_day LIMIT 1)
      AND EXISTS (SELECT FROM daily_figures_state WHERE timezone = ${timezone})
    RETURNING first_day::text AS "from", last_day::text AS "to"`);
  if (!range) return false;
  const figures = (await ctx.bus.callIfInstalled('orders.sumByDay', { ...range, timezone })) ?? [];
  await ctx.db.run(sql`DELETE FROM daily_figures WHERE day BETWEEN ${range.from}::date AND ${range.to}::date`);
  await insertRecords(ctx, 'daily_figures', await withTitles(ctx, figures));
  return true;
}

interface Named {
  readonly kind: string;
  readonly key: string;
  readonly name: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Items have the names of variants; products are shown with their own. */
async function withTitles<Figure extends Named>(ctx: Ctx, figures: readonly Figure[]): Promise<readonly Figure[]> {
  const isProduct = ({ kind, key }: Named) => kind === 'product' && uuid.test(key);
  const ids = [...new Set(figures.filter(isProduct).map(({ key }) => key))];
  if (ids.length === 0) return figures;
  const found = (await ctx.bus.callIfInstalled('products.listTitles', { ids })) ?? [];
  const titles = new Map(found.map(({ id, title }) => [id, title]));
  return figures.map((figure) =>
    isProduct(figure) ? { ...figure, name: titles.get(figure.key) ?? figure.name } : figure,
  );
}
