import { type Ctx, invalid, type JobTypes, job, pickFields, sql, Type, type Upload } from '@chowk/kit';
import { mustNotBeCopy } from './catalogue-rules.ts';
import { fail } from './errors.ts';
import { removeFiles } from './image-list.ts';
import { editChanges, getProduct, lockProduct } from './products.ts';
import { type Fields, saveProducts } from './save.ts';
import { maxImages, NewProduct, type Product, type ProductImage, type ProductRecord } from './schemas.ts';

/** The longer side in pixels. */
const imageSizes = [1_600, 800, 200];

interface Key {
  readonly id: string;
  readonly image: string;
}

/** Stores an image until a product that names it is saved. */
export async function uploadImage(ctx: Ctx, { file, alt }: { file: Upload; alt: string }): Promise<ProductImage> {
  const written = await ctx.files.writeImage(file, imageSizes);
  return ctx.tx(async (tx) => {
    const image = await keepImage(tx, written, alt);
    await tx.db.run(sql`
      INSERT INTO product_uploads (id, image, created_at) VALUES (${image.id}, ${JSON.stringify(image)}::jsonb, now())`);
    return image;
  });
}

/** Adds an uploaded image to the end of the list. */
export async function addImage(ctx: Ctx, input: { id: string; file: Upload; alt: string }): Promise<ProductImage> {
  const { id, file, alt } = input;
  const current = await getProduct(ctx, { id });
  await mustNotBeCopy(ctx, current);
  requireRoom(current);
  const written = await ctx.files.writeImage(file, imageSizes);
  return ctx.tx(async (tx) => {
    const product = await lockProduct(tx, id);
    requireRoom(product);
    const image = await keepImage(tx, written, alt);
    await saveImages(tx, product, [...product.images, image]);
    return image;
  });
}

type WrittenImages = Awaited<ReturnType<Ctx['files']['writeImage']>>;

async function keepImage(ctx: Ctx, written: WrittenImages, alt: string): Promise<ProductImage> {
  for (const picture of written) await ctx.files.keep(picture.file);
  const sizes = written.map(({ file, width, height }) => ({ url: ctx.files.publicUrl(file), width, height }));
  return { id: ctx.newId(), alt, ...(sizes[0] as (typeof sizes)[0]), sizes };
}

/** Changes the description of an image or moves it. */
export function updateImage(ctx: Ctx, input: Key & { alt?: string; position?: number }): Promise<Product> {
  return ctx.tx(async (tx) => {
    const product = await lockProduct(tx, input.id);
    const image = findImage(product, input);
    const { alt = image.alt, position = product.images.indexOf(image) + 1 } = input;
    const others = product.images.filter((other) => other !== image);
    return saveImages(tx, product, others.toSpliced(position - 1, 0, { ...image, alt }));
  });
}

export function deleteImage(ctx: Ctx, key: Key): Promise<Product> {
  return ctx.tx(async (tx) => {
    const product = await lockProduct(tx, key.id);
    const image = findImage(product, key);
    return saveImages(
      tx,
      product,
      product.images.filter((other) => other !== image),
    );
  });
}

async function saveImages(ctx: Ctx, current: ProductRecord, images: ProductImage[]): Promise<Product> {
  await mustNotBeCopy(ctx, current);
  const edit = { current, fields: { ...pickFields(NewProduct, current), images } as Fields };
  ctx.audit(editChanges(edit));
  await saveProducts(ctx, [edit]);
  return getProduct(ctx, current);
}

function findImage({ images }: ProductRecord, { image: id }: Key): ProductImage {
  const image = images.find((one) => one.id === id.toLowerCase());
  if (!image) throw fail('products.image_not_found', { key: id });
  return image;
}

function requireRoom({ images }: ProductRecord): void {
  if (images.length >= maxImages) throw invalid({ file: `A product has at most ${maxImages} images.` });
}

export const imageJobs = {
  'products.remove_uploads': job({ data: Type.Object({}), schedule: '19 * * * *', run: removeUploads }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof imageJobs> {}
}

/** Removes images that no product has taken within a day. */
async function removeUploads(ctx: Ctx): Promise<void> {
  await ctx.tx(async (tx) => {
    const rows = await tx.db.rows<{ image: ProductImage }>(sql`
      DELETE FROM product_uploads WHERE created_at < now() - interval '1 day' RETURNING image`);
    await removeFiles(
      tx,
      rows.map(({ image }) => image),
      [],
    );
  });
}
