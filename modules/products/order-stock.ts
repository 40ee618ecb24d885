import { type Ctx, invalid, Nullable, named, type Static, sql, Type, Uuid } from '@chowk/kit';
import { findLocation, resolveLocation } from './locations.ts';
import { Status } from './schemas.ts';
import { type Movement, moveLocked, moveStock, type OrderLine } from './stock.ts';
import { Variant } from './variant-schemas.ts';

/* What orders do with the stock. Each operation names what is to hold afterwards, so that calling it again changes nothing. */

const order = {
  order_id: Uuid,
  order_number: Type.Optional(Type.String({ maxLength: 100, description: 'For the list of movements.' })),
};
const Quantity = Type.Integer({ minimum: 0, maximum: 1_000_000 });

export const LineKeys = Type.Object({
  lines: Type.Array(
    Type.Object({ variant_id: Type.Optional(Uuid), sku: Type.Optional(Type.String({ maxLength: 64 })) }),
  ),
});

const { id, product_id, sku, price, weight_grams, taxable, tax_class, tax_code, continue_selling, available } =
  Variant.properties;
export const ResolvedLine = named(
  'ResolvedLine',
  Type.Object({
    variant_id: id,
    product_id,
    sku,
    title: Type.String({ description: 'The title of the product.' }),
    variant_title: Type.String(),
    price,
    weight_grams,
    taxable,
    tax_class,
    tax_code,
    continue_selling,
    available,
    status: Status,
    image_url: Nullable(Type.String()),
  }),
);
type ResolvedLine = Static<typeof ResolvedLine>;
export const ResolvedLines = Type.Object({
  lines: Type.Array(Nullable(ResolvedLine)),
  has_products: Type.Boolean({ description: 'Whether the tenant has products at all.' }),
});

/** For each line the variant with its id, else with its SKU, or null. */
export async function resolveLines(
  ctx: Ctx,
  { lines }: Static<typeof LineKeys>,
): Promise<{ lines: (ResolvedLine | null)[]; has_products: boolean }> {
  const ids = lines.map(({ variant_id }) => variant_id ?? null);
  const skus = lines.map((line) => line.sku ?? null);
  const rows = await ctx.db.rows<ResolvedLine & { position: number }>(sql`
    SELECT line.position::integer, v.id AS variant_id, v.product_id, v.sku, p.title, v.title AS variant_title,
      v.price::text AS price, v.weight_grams, v.taxable, v.tax_class, v.tax_code, v.continue_selling, v.stock - v.reserved AS available, p.status,
      coalesce(
        (SELECT image->>'url' FROM jsonb_array_elements(p.images) image WHERE image->>'id' = v.image_id::text),
        p.images->0->>'url') AS image_url
    FROM unnest(${ids}::uuid[], ${skus}::text[]) WITH ORDINALITY AS line (id, sku, position)
      JOIN LATERAL (
        SELECT * FROM product_variants WHERE id = line.id
        UNION ALL SELECT * FROM product_variants WHERE line.id IS NULL AND sku_key = lower(line.sku)) v ON v.deleted_at IS NULL
      JOIN products p ON p.id = v.product_id`);
  const found = new Map(rows.map(({ position, ...line }) => [position, line]));
  return {
    lines: lines.map((_, index) => found.get(index + 1) ?? null),
    has_products: rows.length > 0 || (await hasProducts(ctx)),
  };
}

async function hasProducts(ctx: Ctx): Promise<boolean> {
  return (await ctx.db.row(sql`SELECT FROM products WHERE deleted_at IS NULL LIMIT 1`)) !== undefined;
}

export const OrderReservation = Type.Object({
  ...order,
  is_new: Type.Optional(Type.Boolean({ description: 'The order holds no units yet, which spares looking for them.' })),
  lines: Type.Array(Type.Object({ line_id: Uuid, variant_id: Uuid, quantity: Quantity })),
});
export const OrderUnits = Type.Object({
  ...order,
  lines: Type.Array(Type.Object({ line_id: Uuid, quantity: Quantity })),
  location_id: Type.Optional(Nullable(Uuid)),
});
export const OrderRelease = Type.Object({ ...order, lines: Type.Optional(Type.Array(Uuid)) });

interface Order {
  readonly order_id: string;
  readonly order_number?: string | undefined;
}

type HeldLine = Omit<OrderLine, 'order_id'>;
/** Units of a variant that was deleted do not come back. */
type FoundLine = HeldLine & { readonly isDeleted: boolean };

/** Reserves the units of all lines, or of none. Lines that are not named, and units beyond the quantity, are released. */
export function reserveForOrder(ctx: Ctx, input: Static<typeof OrderReservation>): Promise<void> {
  const { lines } = input;
  if (input.is_new) return reserveForNewOrder(ctx, input);
  return settle(
    ctx,
    input,
    lines.map(({ variant_id }) => variant_id),
    (held) => {
      const wanted = new Map(lines.map((line) => [line.line_id, line]));
      const before = new Map(held.map((line) => [line.line_id, line]));
      const kept = held.map((line): HeldLine => {
        const { variant_id, quantity } = wanted.get(line.line_id) ?? { variant_id: line.variant_id, quantity: 0 };
        if (variant_id !== line.variant_id && line.committed > 0) {
          throw invalid({ lines: 'The variant of a line cannot change after units of it have been shipped.' });
        }
        return { ...line, variant_id, quantity: Math.max(quantity, line.committed) };
      });
      const added = lines
        .filter(({ line_id }) => !before.has(line_id))
        .map((line): HeldLine => ({ ...line, committed: 0, restocked: 0 }));
      return { next: [...kept, ...added], reason: 'reserved', freed: 'released' };
    },
  );
}

async function reserveForNewOrder(ctx: Ctx, { order_id, order_number, lines }: Static<typeof OrderReservation>) {
  const reserved = lines.filter(({ quantity }) => quantity > 0);
  const order = { orderId: order_id, reference: order_number, reason: 'reserved' };
  await moveStock(
    ctx,
    reserved.map(({ variant_id: variantId, quantity }) => ({ ...order, variantId, reserved: quantity })),
    reserved.map((line) => ({ ...line, order_id, committed: 0, restocked: 0 })),
  );
}

/** Removes units from the stock as sold; `quantity` is how many of the line have been shipped in all. */
export function commitForOrder(ctx: Ctx, input: Static<typeof OrderUnits>): Promise<void> {
  return changeUnits(ctx, input, 'sold', (line, quantity) => {
    if (quantity > line.quantity) {
      const message = `Only ${line.quantity} units of the line were ordered.`;
      throw invalid({ lines: { code: 'too_large', message } });
    }
    return { ...line, committed: Math.max(quantity, line.committed) };
  });
}

/** Takes units back; `quantity` is how many the order keeps of the line. Units that were not shipped are released first. */
export function returnForOrder(ctx: Ctx, input: Static<typeof OrderUnits>): Promise<void> {
  return changeUnits(ctx, input, 'restocked', ({ isDeleted, ...line }, kept) => {
    if (isDeleted) return line;
    const quantity = Math.min(line.quantity, Math.max(kept, line.committed));
    return { ...line, quantity, restocked: Math.max(line.restocked, line.committed - kept) };
  });
}

/**
 * Reserves units again that were shipped and did not leave after all; `quantity` is how many of the line remain shipped. Units that
 * were restocked meanwhile are the first of them, and do not come back twice.
 */
export async function uncommitForOrder(ctx: Ctx, input: Static<typeof OrderUnits>): Promise<void> {
  const location_id = await findLocation(ctx, input.location_id);
  await changeUnits(ctx, { ...input, location_id }, 'shipment cancelled', ({ isDeleted, ...line }, quantity) => {
    const units = line.committed - quantity;
    if (isDeleted || units <= 0) return line;
    return {
      ...line,
      quantity: Math.max(line.quantity - line.restocked, quantity),
      committed: quantity,
      restocked: Math.max(line.restocked - units, 0),
    };
  });
}

/** Releases what is still reserved, of all lines or of some. */
export function releaseForOrder(ctx: Ctx, { lines, ...input }: Static<typeof OrderRelease>): Promise<void> {
  return settle(ctx, input, [], (held) => ({
    next: held.map((line) => (!lines || lines.includes(line.line_id) ? { ...line, quantity: line.committed } : line)),
    reason: 'released',
    freed: 'released',
  }));
}

/** Lines that hold no stock, such as those of free text, are ignored. */
async function changeUnits(
  ctx: Ctx,
  { lines, location_id, ...input }: Static<typeof OrderUnits>,
  reason: string,
  change: (line: FoundLine, quantity: number) => HeldLine,
): Promise<void> {
  const quantities = new Map(lines.map(({ line_id, quantity }) => [line_id, quantity]));
  const locationId = await resolveLocation(ctx, location_id);
  await settle(ctx, input, [], (held) => ({
    next: held.map((line) => {
      const quantity = quantities.get(line.line_id);
      return quantity === undefined ? line : change(line, quantity);
    }),
    reason,
    freed: 'released',
    locationId,
  }));
}

interface Plan {
  readonly next: readonly HeldLine[];
  readonly reason: string;
  /** The reason of movements that only release units. */
  readonly freed: string;
  readonly locationId?: string | null;
}

/**
 * Locks the products, then compares what the order holds with what it is to hold, and moves the difference. Both statements
 * are sent at once: the second one sees what those have written that the first one waited for.
 */
async function settle(
  ctx: Ctx,
  { order_id, order_number }: Order,
  variantIds: readonly string[],
  plan: (held: readonly FoundLine[]) => Plan,
): Promise<void> {
  const [, held] = await Promise.all([lockForOrder(ctx, order_id, variantIds), findHeld(ctx, order_id)]);
  const { next, reason, freed, locationId = null } = plan(held);
  const before = new Map(held.map((line) => [line.line_id, line]));
  const changed = next.filter((line) => !isSame(before.get(line.line_id), line));
  const common = { orderId: order_id, reference: order_number, locationId };
  const movements = changed.flatMap((line) =>
    movementsBetween(before.get(line.line_id), line).map((units): Movement => {
      const isFreed = units.reserved < 0 && units.change === 0;
      return { ...common, ...units, reason: isFreed ? freed : reason };
    }),
  );
  await moveLocked(
    ctx,
    movements,
    changed.map((line) => ({ ...line, order_id })),
  );
}

function lockForOrder(ctx: Ctx, orderId: string, variantIds: readonly string[]): Promise<number> {
  return ctx.db.run(sql`
    SELECT FROM products WHERE id IN (
      SELECT product_id FROM product_variants WHERE id = ANY(${variantIds}::uuid[])
      UNION SELECT v.product_id FROM order_stock o JOIN product_variants v ON v.id = o.variant_id
      WHERE o.order_id = ${orderId})
    ORDER BY id FOR NO KEY UPDATE`);
}

function findHeld(ctx: Ctx, orderId: string): Promise<FoundLine[]> {
  return ctx.db.rows<FoundLine>(sql`
    SELECT o.line_id, o.variant_id, o.quantity, o.committed, o.restocked, v.deleted_at IS NOT NULL AS "isDeleted"
    FROM order_stock o JOIN product_variants v ON v.id = o.variant_id WHERE o.order_id = ${orderId}`);
}

function isSame(before: HeldLine | undefined, after: HeldLine): boolean {
  if (!before) return after.quantity === 0;
  const { variant_id, quantity, committed, restocked } = before;
  return (
    variant_id === after.variant_id &&
    quantity === after.quantity &&
    committed === after.committed &&
    restocked === after.restocked
  );
}

type Units = Required<Pick<Movement, 'variantId' | 'reserved' | 'change'>>;

/** A line that changes its variant releases the units of the old one. */
function movementsBetween(before: HeldLine | undefined, after: HeldLine): Units[] {
  if (before && before.variant_id !== after.variant_id) {
    const released = { ...before, quantity: before.committed };
    return [...movementsBetween(before, released), ...movementsBetween(undefined, after)];
  }
  const reserved = after.quantity - after.committed - (before ? before.quantity - before.committed : 0);
  const change = (before?.committed ?? 0) - after.committed + after.restocked - (before?.restocked ?? 0);
  return reserved === 0 && change === 0 ? [] : [{ variantId: after.variant_id, reserved, change }];
}
