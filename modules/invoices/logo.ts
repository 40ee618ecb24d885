import { type Ctx, sql, type Upload } from '@chowk/kit';
import type { InvoiceLogo } from './schemas.ts';

/** The longer side in pixels: sharp on paper at a width of 4 cm. PDF files cannot contain WebP. */
const logoSize = 600;
const type = 'image/png';

type Row = Omit<InvoiceLogo, 'url'>;

export async function findCurrentLogo(ctx: Ctx): Promise<InvoiceLogo | null> {
  const row = await ctx.db.row<Row>(sql`SELECT id, width, height FROM invoice_logos WHERE is_current`);
  return row ? withUrl(ctx, row) : null;
}

export async function findLogo(ctx: Ctx, id: string): Promise<Row | undefined> {
  return ctx.db.row<Row>(sql`SELECT id, width, height FROM invoice_logos WHERE id = ${id}`);
}

const withUrl = (ctx: Ctx, row: Row): InvoiceLogo => ({
  ...row,
  url: ctx.files.publicUrl({ id: row.id, type, size: 0 }),
});

export async function replaceLogo(ctx: Ctx, { file }: { file: Upload }): Promise<InvoiceLogo> {
  const [written] = await ctx.files.writeImage(file, [logoSize], { type });
  const { file: picture, width, height } = written as NonNullable<typeof written>;
  return ctx.tx(async (tx) => {
    const { id } = await tx.files.keep(picture);
    await retireLogo(tx);
    await tx.db.run(sql`
      INSERT INTO invoice_logos (id, width, height, is_current, created_at)
      VALUES (${id}, ${width}, ${height}, true, ${tx.now()})`);
    return withUrl(tx, { id, width, height });
  });
}

/** Waits for another upload: only one logo is the current one. */
async function retireLogo(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`LOCK TABLE invoice_logos IN SHARE ROW EXCLUSIVE MODE`);
  await ctx.db.run(sql`UPDATE invoice_logos SET is_current = false WHERE is_current`);
}

export function removeLogo(ctx: Ctx): Promise<void> {
  return ctx.tx(retireLogo);
}
