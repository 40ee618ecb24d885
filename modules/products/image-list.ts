import { type Ctx, type Issues, sql } from '@chowk/kit';
import type { NewProduct, ProductImage } from './schemas.ts';

type Sent = NewProduct['images'];

/**
 * Merges the images that were sent with the current ones: an image with the same id or URL keeps its sizes. Uploads that wait
 * for a product become images of this one, in the transaction that saves it.
 */
export async function readImages(
  ctx: Ctx,
  current: readonly ProductImage[],
  sent: Sent,
  issues: Issues,
): Promise<ProductImage[]> {
  const known = new Set(current.map(({ id }) => id));
  const ids = sent.flatMap(({ id }) => (id === undefined || known.has(id) ? [] : [id]));
  const uploads = ids.length === 0 ? [] : await claimUploads(ctx, ids);
  const all = [...current, ...uploads];
  for (const [index, { id, url }] of sent.entries()) {
    const field = `images.${index}.url`;
    if (id === undefined && url === undefined && !issues.has(field))
      issues.add(field, 'The url is required.', 'required');
    if (id !== undefined && !all.some((image) => image.id === id)) {
      issues.add(`images.${index}.id`, `There is no image ${id}.`, 'unknown');
    }
  }
  return mergeImages(ctx, all, sent);
}

async function claimUploads(ctx: Ctx, ids: readonly string[]): Promise<ProductImage[]> {
  const rows = await ctx.db.rows<{ image: ProductImage }>(
    sql`DELETE FROM product_uploads WHERE id = ANY(${ids}::uuid[]) RETURNING image`,
  );
  return rows.map(({ image }) => image);
}

/** As `readImages`, for images without ids. */
export function mergeImages(ctx: Ctx, current: readonly ProductImage[], sent: Sent): ProductImage[] {
  const left = [...current];
  return sent.map(({ id, url = '', alt }) => {
    const index = left.findIndex((image) => (id === undefined ? image.url === url : image.id === id));
    const known = index < 0 ? undefined : left.splice(index, 1)[0];
    const image = known ?? { id: ctx.newId(), url, width: null, height: null, sizes: [] };
    return { ...image, alt: alt ?? known?.alt ?? '' };
  });
}

/** Removes the files of images that a product no longer has. */
export async function removeFiles(
  ctx: Ctx,
  before: readonly ProductImage[],
  after: readonly ProductImage[],
): Promise<void> {
  const kept = new Set(after.map(({ id }) => id));
  const dropped = before.filter(({ id }) => !kept.has(id));
  for (const { url } of dropped.flatMap(({ sizes }) => sizes)) await ctx.files.remove(parseFileId(url));
}

/** `…` of `/media/acme/products/….webp`. */
function parseFileId(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1, url.lastIndexOf('.'));
}
