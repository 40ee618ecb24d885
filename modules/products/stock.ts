import { type Ctx, type Failure, invalid, type Sql, sql } from '@chowk/kit';
import { columns, variantJsonColumns } from './columns.ts';
import { fail } from './errors.ts';
import { emitStockChanged } from './events.ts';
import { resolveLocation } from './locations.ts';
import { getProduct } from './products.ts';
import type { Product, ProductRecord } from './schemas.ts';
import { maxStock, type Variant } from './variant-schemas.ts';

export interface Movement {
  readonly variantId: string;
  /** Units to add to the stock; negative to remove them. */
  readonly change?: number;
  /** Units to reserve; negative to release them. */
  readonly reserved?: number;
  readonly reason: string;
  readonly reference?: string | null | undefined;
  /** `null`: the default location. */
  readonly locationId?: string | null;
  readonly orderId?: string;
}

export interface Moved {
  readonly product: ProductRecord;
  readonly variant: Variant;
}

/**
 * Checks and changes stock and reserved units in one statement: with too few units of one variant it fails and changes
 * nothing. In a transaction; locks the products. Also stores what lines of orders hold.
 */
export async function moveStock(
  ctx: Ctx,
  movements: readonly Movement[],
  lines: readonly OrderLine[] = [],
): Promise<Moved[]> {
  if (movements.length === 0) return [];
  // As the database writes ids, by which the results are found.
  const asStored = movements.map((movement) => ({ ...movement, variantId: movement.variantId.toLowerCase() }));
  // Sent at once: the later statements see what those have written that the first one waited for.
  const [, moved] = await Promise.all([lockProducts(ctx, asStored), moveLocked(ctx, asStored, lines)]);
  return moved;
}

/** What a line of an order holds of the stock, as a row of `order_stock`. */
export interface OrderLine {
  readonly order_id: string;
  readonly line_id: string;
  readonly variant_id: string;
  /** Reserved units and those that have left the stock. */
  readonly quantity: number;
  readonly committed: number;
  readonly restocked: number;
}

/** As `moveStock`, after the products have been locked. */
export async function moveLocked(
  ctx: Ctx,
  movements: readonly Movement[],
  lines: readonly OrderLine[] = [],
): Promise<Moved[]> {
  if (movements.length === 0 && lines.length === 0) return [];
  const isTouched = movements.some(({ orderId }) => orderId === undefined);
  const [moved, , records] = await Promise.all([
    writeMovements(ctx, movements, lines),
    isTouched ? touchProducts(ctx, movements) : undefined,
    readMoved(ctx, movements),
  ]);
  const totals = sumByVariant(movements);
  if (moved.length < totals.size) throw await refusal(ctx, totals, new Set(moved.map(({ id }) => id)));
  await moveLevels(ctx, movements, moved);
  return emitMoved(ctx, movements, records);
}

/** In the order of ids, before any of their variants. */
function lockProducts(ctx: Ctx, movements: readonly Movement[]): Promise<number> {
  const ids = movements.map(({ variantId }) => variantId);
  return ctx.db.run(sql`
    SELECT FROM products WHERE id IN (SELECT product_id FROM product_variants WHERE id = ANY(${ids}::uuid[]))
    ORDER BY id FOR NO KEY UPDATE`);
}

interface MovedRow {
  readonly id: string;
  readonly sku: string;
  readonly stock: number;
  readonly continue_selling: boolean;
  /** Units at other locations than the default one. */
  readonly elsewhere: number;
}

function writeMovements(ctx: Ctx, movements: readonly Movement[], lines: readonly OrderLine[]): Promise<MovedRow[]> {
  const rows = movements.map(({ variantId, change = 0, reserved = 0, reason, reference, locationId, orderId }) => ({
    id: ctx.newId(),
    variant_id: variantId,
    change,
    reserved_change: reserved,
    reason,
    reference: reference ?? null,
    location_id: locationId ?? null,
    order_id: orderId ?? null,
  }));
  return ctx.db.rows<MovedRow>(sql`
    WITH movement AS (SELECT * FROM jsonb_populate_recordset(NULL::stock_movements, ${JSON.stringify(rows)}::jsonb)),
    total AS (
      SELECT variant_id, sum(change) AS change, sum(reserved_change) AS reserved FROM movement GROUP BY variant_id),
    moved AS (
      UPDATE product_variants v SET stock = v.stock + t.change, reserved = v.reserved + t.reserved, updated_at = ${ctx.now()}
      FROM total t
      WHERE v.id = t.variant_id AND v.deleted_at IS NULL AND v.stock + t.change <= ${maxStock}
        AND (t.change >= t.reserved OR v.continue_selling OR v.stock + t.change >= v.reserved + t.reserved)
      RETURNING v.id, v.product_id, v.sku, v.stock, v.continue_selling),
    logged AS (
      INSERT INTO stock_movements
        (id, product_id, variant_id, change, reserved_change, reason, reference, location_id, order_id, user_id, at)
      SELECT m.id, moved.product_id, m.variant_id, m.change, m.reserved_change, m.reason, m.reference, m.location_id,
        m.order_id, ${ctx.userId ?? null}, ${ctx.now()}
      FROM movement m JOIN moved ON moved.id = m.variant_id)
      ${lines.length > 0 ? storeLines(lines) : sql``}
    SELECT id, sku, stock, continue_selling,
      (SELECT coalesce(sum(l.stock), 0) FROM stock_levels l WHERE l.variant_id = moved.id) AS elsewhere
    FROM moved`);
}

/** If all units could be moved. */
function storeLines(lines: readonly OrderLine[]): Sql {
  return sql`, stored AS (
      INSERT INTO order_stock (order_id, line_id, variant_id, quantity, committed, restocked)
      SELECT order_id, line_id, variant_id, quantity, committed, restocked
      FROM jsonb_populate_recordset(NULL::order_stock, ${JSON.stringify(lines)}::jsonb)
      WHERE (SELECT count(*) FROM moved) = (SELECT count(*) FROM total)
      ON CONFLICT (order_id, line_id) DO UPDATE SET variant_id = excluded.variant_id, quantity = excluded.quantity,
        committed = excluded.committed, restocked = excluded.restocked)`;
}

/** Orders leave the time of the product: that of its variants is enough, and spares all indexes of the product. */
async function touchProducts(ctx: Ctx, movements: readonly Movement[]): Promise<void> {
  const ids = movements.map(({ variantId }) => variantId);
  await ctx.db.run(sql`
    UPDATE products SET updated_at = ${ctx.now()}
    WHERE id IN (SELECT product_id FROM product_variants WHERE id = ANY(${ids}::uuid[]))`);
}

type Totals = ReadonlyMap<string, { readonly change: number; readonly reserved: number }>;

function sumByVariant(movements: readonly Movement[]): Totals {
  const totals = new Map<string, { change: number; reserved: number }>();
  for (const { variantId, change = 0, reserved = 0 } of movements) {
    const total = totals.get(variantId) ?? { change: 0, reserved: 0 };
    totals.set(variantId, { change: total.change + change, reserved: total.reserved + reserved });
  }
  return totals;
}

type Short = {
  readonly variant_id: string;
  readonly sku: string;
  readonly requested: number;
  readonly available: number;
};

/** Names all variants with too few units. */
async function refusal(ctx: Ctx, totals: Totals, moved: ReadonlySet<string>): Promise<Failure> {
  const missing = [...totals.keys()].filter((id) => !moved.has(id));
  const found = await ctx.db.rows<{ id: string; sku: string; available: number }>(sql`
    SELECT id, sku, stock - reserved AS available FROM product_variants
    WHERE id = ANY(${missing}::uuid[]) AND deleted_at IS NULL ORDER BY sku`);
  const unknown = missing.find((id) => !found.some((variant) => variant.id === id));
  if (unknown) return fail('products.variant_not_found', { key: unknown });
  const short = found.map(({ id, sku, available }): Short => {
    const { change, reserved } = totals.get(id) as { change: number; reserved: number };
    return { variant_id: id, sku, requested: reserved - change, available };
  });
  // Not decided by what is available now: another transaction may have changed it meanwhile.
  if (short.some(({ requested }) => requested <= 0)) {
    return invalid({ change: { code: 'too_large', message: `The stock must be at most ${maxStock}.` } });
  }
  return insufficientStock(short);
}

function insufficientStock(short: readonly Short[]): Failure {
  const [first] = short as readonly [Short];
  const body = { available: first.available, short };
  if (short.length === 1) return fail('products.insufficient_stock', first, { body });
  const list = short.map(({ sku, requested, available }) => `${sku} (requested ${requested}, available ${available})`);
  return fail('products.insufficient_stock_for_several', { list: list.join(', ') }, { body });
}

/** The default location has what is at no other one. */
async function moveLevels(ctx: Ctx, movements: readonly Movement[], moved: readonly MovedRow[]): Promise<void> {
  const others = movements.filter(({ locationId, change = 0 }) => locationId && change !== 0);
  const skus = new Map(moved.map(({ id, sku }) => [id, sku]));
  for (const { variantId, locationId, change = 0 } of others) {
    const level = await ctx.db.row(sql`
      INSERT INTO stock_levels AS l (variant_id, location_id, stock)
      SELECT ${variantId}, ${locationId}, greatest(${change}::integer, 0)
      WHERE ${change} > 0 OR EXISTS (SELECT FROM stock_levels WHERE variant_id = ${variantId} AND location_id = ${locationId})
      ON CONFLICT (variant_id, location_id) DO UPDATE SET stock = l.stock + ${change} WHERE l.stock + ${change} >= 0
      RETURNING stock`);
    if (!level) throw fail('products.insufficient_at_location', { sku: skus.get(variantId), requested: -change });
  }
  const atDefault = movements.filter(({ locationId, change = 0 }) => !locationId && change < 0);
  for (const { variantId, change = 0 } of atDefault) {
    const { sku, stock, continue_selling, ...row } = moved.find(({ id }) => id === variantId) as MovedRow;
    const received = others.filter((other) => other.variantId === variantId);
    const elsewhere = received.reduce((sum, other) => sum + (other.change ?? 0), row.elsewhere);
    // What is sold may not be there yet; what is transferred must be.
    if (stock < elsewhere && elsewhere > 0 && !(continue_selling && received.length === 0)) {
      throw fail('products.insufficient_at_location', { sku, requested: -change });
    }
  }
}

type MovedRecord = ProductRecord & { variant: Variant };

function readMoved(ctx: Ctx, movements: readonly Movement[]): Promise<MovedRecord[]> {
  const ids = movements.map(({ variantId }) => variantId);
  return ctx.db.rows<MovedRecord>(sql`
    SELECT ${columns}, (SELECT row_to_json(one) FROM (SELECT ${variantJsonColumns}) one) AS variant
    FROM product_variants v JOIN products p ON p.id = v.product_id WHERE v.id = ANY(${ids}::uuid[])`);
}

/** The moved variants with their products, in the order of the movements. */
async function emitMoved(ctx: Ctx, movements: readonly Movement[], records: readonly MovedRecord[]): Promise<Moved[]> {
  const byVariant = new Map(records.map(({ variant, ...product }) => [variant.id, { product, variant }]));
  const changes = movements.map(({ variantId, change = 0, reserved = 0, reason, reference }) => {
    const moved = byVariant.get(variantId) as Moved;
    return { ...moved, change, reserved_change: reserved, reason, reference: reference ?? null };
  });
  await emitStockChanged(ctx, changes);
  return changes;
}

export interface StockChange {
  readonly id: string;
  readonly change: number;
  readonly reason: string;
  readonly reference?: string;
  readonly location_id?: string;
}

/** Changes the stock of a product with one variant. */
export function changeStock(ctx: Ctx, { id, ...change }: StockChange): Promise<Product> {
  return ctx.tx(async (tx) => {
    await changeVariantStock(tx, { id: onlyVariant(await getProduct(tx, { id })), ...change });
    return getProduct(tx, { id });
  });
}

export function changeVariantStock(ctx: Ctx, { id, location_id, ...change }: StockChange): Promise<Variant> {
  return ctx.tx(async (tx) => {
    const locationId = await resolveLocation(tx, location_id);
    const [moved] = await moveStock(tx, [{ variantId: id, locationId, ...change }]);
    return (moved as Moved).variant;
  });
}

/** The id of the only variant; 409 if there are several. */
export function onlyVariant({ sku, variants }: Product): string {
  const [variant, ...others] = variants as [Variant];
  if (others.length === 0) return variant.id;
  const named = variants.map((one) => ({ id: one.id, sku: one.sku, title: one.title }));
  const list = variants.map((one) => `${one.sku} (${one.id})`).join(', ');
  throw fail('products.has_variants', { sku, list }, { body: { variants: named } });
}
