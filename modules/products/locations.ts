import {
  byText,
  byTime,
  type Ctx,
  columnsFor,
  invalid,
  list,
  type Static,
  sql,
  taken,
  violatedIndex,
} from '@chowk/kit';
import { fail } from './errors.ts';
import { type NewLocation, StockLocation } from './stock-schemas.ts';

const columns = columnsFor(StockLocation, sql`l`);

export const locationList = list({
  name: 'locations',
  row: StockLocation,
  from: sql`stock_locations l`,
  alias: sql`l`,
  where: sql`l.deleted_at IS NULL`,
  columns,
  sorts: { created_at: byTime(sql`l.created_at`), name: byText(sql`l.name`) },
  sortOrder: 'asc',
});

type Location = Static<typeof StockLocation>;

/** `null` for the default location; 422 for an unknown one. The location cannot be deleted until the transaction ends. */
export async function resolveLocation(
  ctx: Ctx,
  id: string | null | undefined,
  field = 'location_id',
): Promise<string | null> {
  if (id == null) return null;
  const location = await lockLocation(ctx, id);
  if (!location) throw invalid({ [field]: { code: 'unknown', message: `There is no stock location ${id}.` } });
  return location.is_default ? null : id;
}

/** `null` for the default location, and for one that does not exist any more. */
export async function findLocation(ctx: Ctx, id: string | null | undefined): Promise<string | null> {
  const location = id == null ? undefined : await lockLocation(ctx, id);
  return !location || location.is_default ? null : (id as string);
}

function lockLocation(ctx: Ctx, id: string): Promise<{ is_default: boolean } | undefined> {
  return ctx.db.row(sql`SELECT is_default FROM stock_locations WHERE id = ${id} AND deleted_at IS NULL FOR KEY SHARE`);
}

export async function createLocation(ctx: Ctx, { name }: Static<typeof NewLocation>): Promise<Location> {
  return named(name, () =>
    ctx.db.row<Location>(sql`
      INSERT INTO stock_locations AS l (id, name, created_at, updated_at)
      VALUES (${ctx.newId()}, ${name}, ${ctx.now()}, ${ctx.now()}) RETURNING ${columns}`),
  ) as Promise<Location>;
}

export async function updateLocation(ctx: Ctx, { id, name }: { id: string; name: string }): Promise<Location> {
  const location = await named(name, () =>
    ctx.db.row<Location>(sql`
      UPDATE stock_locations l SET name = ${name}, updated_at = ${ctx.now()}
      WHERE id = ${id} AND deleted_at IS NULL RETURNING ${columns}`),
  );
  if (!location) throw fail('products.location_not_found', { key: id });
  return location;
}

async function named<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (violatedIndex(error) !== 'stock_locations_name') throw error;
    throw invalid({ name: taken(`There is already a location ${name}.`) });
  }
}

/** Only a location without units; the default one stays. */
export async function deleteLocation(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const location = await tx.db.row<{ name: string; is_default: boolean }>(
      sql`SELECT name, is_default FROM stock_locations WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`,
    );
    if (!location) throw fail('products.location_not_found', { key: id });
    const stocked = await tx.db.row(sql`SELECT FROM stock_levels WHERE location_id = ${id} AND stock > 0 LIMIT 1`);
    if (location.is_default || stocked) throw fail('products.location_in_use', location);
    await tx.db.run(sql`
      UPDATE stock_locations SET deleted_at = ${tx.now()}, updated_at = ${tx.now()} WHERE id = ${id}`);
  });
}
