import { type Ctx, offsetOf, type Paging, paginationOf, sql } from '@chowk/kit';
import type { Movement } from './schemas.ts';

interface NewMovement {
  readonly product_id: string;
  readonly change?: number;
  readonly reserved_change?: number;
  readonly reason: string;
  readonly reference?: string | null;
}

/** Writes down many changes of stock in one statement. */
export async function logMovements(ctx: Ctx, movements: readonly NewMovement[]): Promise<void> {
  if (movements.length === 0) return;
  const common = { change: 0, reserved_change: 0, user_id: ctx.userId ?? null, at: ctx.now() };
  const rows = movements.map((movement) => ({ ...common, id: ctx.newId(), ...movement }));
  await ctx.db.run(sql`
    INSERT INTO stock_movements
    SELECT * FROM jsonb_populate_recordset(NULL::stock_movements, ${JSON.stringify(rows)}::jsonb)`);
}

/** The newest first. */
export async function listMovements(ctx: Ctx, { id }: { id: string }, paging: Paging) {
  const [movements, counted] = await Promise.all([
    ctx.db.rows<Movement>(sql`
      SELECT id, change, reserved_change, reason, reference, user_id, at FROM stock_movements
      WHERE product_id = ${id} ORDER BY at DESC, id DESC LIMIT ${paging.per_page} OFFSET ${offsetOf(paging)}`),
    ctx.db.row<{ total: number }>(sql`SELECT count(*) AS total FROM stock_movements WHERE product_id = ${id}`),
  ]);
  return { movements, pagination: paginationOf(paging, counted?.total ?? 0) };
}
