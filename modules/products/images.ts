import { type Ctx, changesBetween, invalid, pickFields, type Upload } from '@chowk/kit';
import { mustNotBeCopy } from './catalogue-rules.ts';
import { fail } from './errors.ts';
import { getProduct, lockProduct } from './products.ts';
import { type Fields, saveProducts } from './save.ts';
import { maxImages, NewProduct, type Product, type ProductImage } from './schemas.ts';

/** The longer side in pixels. */
const imageSizes = [1_600, 800, 200];

interface Key {
  readonly id: string;
  readonly image: string;
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
    for (const picture of written) await tx.files.keep(picture.file);
    const sizes = written.map(({ file, width, height }) => ({ url: tx.files.publicUrl(file), width, height }));
    const image = { id: tx.newId(), alt, ...(sizes[0] as (typeof sizes)[0]), sizes };
    await saveImages(tx, product, [...product.images, image]);
    return image;
  });
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

async function saveImages(ctx: Ctx, current: Product, images: ProductImage[]): Promise<Product> {
  await mustNotBeCopy(ctx, current);
  const fields = { ...pickFields(NewProduct, current), images } as Fields;
  ctx.audit(changesBetween<Fields>(current, fields));
  const [product] = await saveProducts(ctx, [{ current, fields }]);
  return product as Product;
}

function findImage({ images }: Product, { image: id }: Key): ProductImage {
  const image = images.find((one) => one.id === id.toLowerCase());
  if (!image) throw fail('products.image_not_found', { key: id });
  return image;
}

function requireRoom({ images }: Product): void {
  if (images.length >= maxImages) throw invalid({ file: `A product has at most ${maxImages} images.` });
}
