import type { Ctx } from '@chowk/kit';
import type { NewProduct, ProductImage } from './schemas.ts';

/** Merges the images that were sent with the current ones: an image with the same URL keeps its id and sizes. */
export function mergeImages(ctx: Ctx, current: readonly ProductImage[], sent: NewProduct['images']): ProductImage[] {
  const left = [...current];
  return sent.map(({ url, alt }) => {
    const index = left.findIndex((image) => image.url === url);
    const known = index < 0 ? undefined : left.splice(index, 1)[0];
    return { ...(known ?? { id: ctx.newId(), width: null, height: null, sizes: [] }), url, alt };
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
