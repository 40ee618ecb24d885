import { type Ctx, insertRecords, job, sql, Type } from '@chowk/kit';

/*
 * Figures are kept by day. A change of an order notes its day in its own transaction; a report first calculates those days again. Each
 * step is a transaction under one lock, so that a report that is interrupted has not worked in vain.
 */

export const jobs = {
  // So that the first report of a morning is fast, and changes do not pile up where nobody reads reports.
  'reports.refresh': job({ data: Type.Object({}), schedule: '7 3 * * *', run: (ctx) => refreshFigures(ctx) }),
};

/** Afterwards the figures are those of all orders that were committed before the call. Returns the time zone of the days. */
export async function refreshFigures(ctx: Ctx): Promise<string> {
  const { 'general.timezone': timezone } = await ctx.settings();
  if (await areCurrent(ctx, timezone)) return timezone;
  await ctx.tx((tx) => takeChanges(tx, timezone));
  while (await ctx.tx((tx) => refreshRange(tx, timezone)));
  return timezone;
}

/** Changes are looked for first: who takes them makes them pending in the same transaction. */
async function areCurrent(ctx: Ctx, timezone: string): Promise<boolean> {
  if (await ctx.bus.callIfInstalled('orders.hasChangedDays', {})) return false;
  const row = await ctx.db.row<{ current: boolean }>(sql`
    SELECT timezone = ${timezone} AND NOT EXISTS (SELECT FROM daily_figures_pending) AS current FROM daily_figures_state`);
  return row?.current ?? false;
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
}

interface Range {
  readonly from: string;
  readonly to: string;
}

async function addPending(ctx: Ctx, ranges: readonly Range[]): Promise<void> {
  await ctx.db.run(sql`
    INSERT INTO daily_figures_pending
    SELECT "from", "to" FROM jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) AS range ("from" date, "to" date)
    ON CONFLICT DO NOTHING`);
}

/** Calculates the latest pending days again; false if there are none, or if another process now uses another time zone. */
async function refreshRange(ctx: Ctx, timezone: string): Promise<boolean> {
  await lock(ctx);
  const range = await ctx.db.row<Range>(sql`
    DELETE FROM daily_figures_pending
    WHERE (first_day, last_day) = (SELECT first_day, last_day FROM daily_figures_pending ORDER BY last_day DESC, first_day LIMIT 1)
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
