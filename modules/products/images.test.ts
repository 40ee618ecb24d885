import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { filePart, formHeaders, formRequest, textPart } from '../../server/testing/form-body.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { storedFiles } from '../../server/testing/stored-files.ts';
import type { Product, ProductImage } from './schemas.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const merchant = acme.caller('products.view', 'products.create', 'products.edit', 'products.delete', 'products.import');
const unknownId = '0190a000-0000-7000-8000-000000000000';

let sequence = 0;
async function newProduct(fields: object = {}): Promise<Product> {
  const { body } = await merchant.post('/api/v1/products', { sku: `I-${++sequence}`, title: 'T', price: 1, ...fields });
  return body.product;
}
const getProduct = async (id: string): Promise<Product> => (await merchant.get(`/api/v1/products/${id}`)).body.product;
const imagesUrl = (id: string) => `/api/v1/products/${id}/images`;
const upload = (id: string, content: string | Uint8Array, ...parts: ReturnType<typeof textPart>[]) =>
  merchant.request(formRequest(imagesUrl(id), filePart(content), ...parts));
const media = async () => (await storedFiles(platform.kernel)).filter((path) => path.includes(acme.id));

/** A picture of one colour with a red top left corner. */
function picture(width: number, height: number) {
  const corner = {
    input: { create: { width: 8, height: 8, channels: 3, background: 'red' } },
    top: 0,
    left: 0,
  } as const;
  return sharp({ create: { width, height, channels: 3, background: 'navy' } }).composite([corner]);
}
const jpeg = await picture(2_000, 1_000).jpeg().toBuffer();
const small = await picture(100, 60).png().toBuffer();

/** The picture at an address, as everyone can read it. */
async function fetchPicture(url: string) {
  const response = await platform.app.inject({ method: 'GET', url });
  return { status: response.statusCode, headers: response.headers, content: response.rawPayload };
}

async function addImage(id: string, content: Uint8Array = small, alt = ''): Promise<ProductImage> {
  const { status, body } = await upload(id, content, textPart('alt', alt));
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.image;
}

test('an uploaded image is listed in the product, in three sizes that everyone can read', async () => {
  const { id, updated_at } = await newProduct({ images: [{ url: 'https://cdn.example.com/a.png', alt: 'Front' }] });
  const { status, body } = await upload(id, jpeg, textPart('alt', ' Back '));
  const url = expect.stringMatching(new RegExp(`^/media/${acme.id}/products/[0-9a-f-]{36}\\.webp$`));
  const sizes = [
    { url, width: 1_600, height: 800 },
    { url, width: 800, height: 400 },
    { url, width: 200, height: 100 },
  ];
  expect({ status, body }).toEqual({
    status: 201,
    body: { message: 'Image added.', image: { id: expect.any(String), alt: 'Back', ...sizes[0], sizes } },
  });
  const product = await getProduct(id);
  expect(product.images).toEqual([
    {
      id: expect.any(String),
      url: 'https://cdn.example.com/a.png',
      alt: 'Front',
      width: null,
      height: null,
      sizes: [],
    },
    body.image,
  ]);
  expect(product.updated_at > updated_at).toBe(true);
  for (const size of body.image.sizes) {
    const { headers, content } = await fetchPicture(size.url);
    expect(headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(await sharp(content).metadata()).toMatchObject({ format: 'webp', width: size.width, height: size.height });
  }
});

test('a small picture is not enlarged', async () => {
  const { id } = await newProduct();
  const { width, height, sizes } = await addImage(id, small);
  expect({ width, height, count: sizes.length }).toEqual({ width: 100, height: 60, count: 1 });
});

test('a photo is turned upright, and the place where it was taken is removed', async () => {
  const { id } = await newProduct();
  const photo = await picture(400, 200)
    .withExif({ IFD0: { Copyright: 'Asha' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '18/1 31/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  expect((await sharp(photo).metadata()).exif).toBeDefined();
  const { width, height, url } = await addImage(id, photo);
  expect({ width, height }).toEqual({ width: 200, height: 400 });
  const { content } = await fetchPicture(url);
  const { exif, icc, xmp, orientation } = await sharp(content).metadata();
  expect({ exif, icc, xmp, orientation }).toEqual({});
  const [red = 0] = await sharp(content).extract({ left: 193, top: 3, width: 1, height: 1 }).raw().toBuffer();
  expect(red).toBeGreaterThan(200);
});

test('only the pixels of a picture are kept', async () => {
  const { id } = await newProduct();
  const comment = Buffer.from('payload-in-a-comment<img src=x onerror=alert(1)>');
  const trailer = Buffer.from('payload-after-the-end');
  const { sizes } = await addImage(
    id,
    Buffer.concat([jpeg.subarray(0, 2), jpegComment(comment), jpeg.subarray(2), trailer]),
  );
  for (const { url } of sizes) expect((await fetchPicture(url)).content.toString('latin1')).not.toContain('payload');
});

function jpegComment(text: Buffer): Buffer {
  const header = Buffer.from('fffe0000', 'hex');
  header.writeUInt16BE(text.length + 2, 2);
  return Buffer.concat([header, text]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG file with this size in its header and this data. */
function png(width: number, height: number, data: Buffer, { depth = 8, colorType = 0, comment = [] as Buffer[] } = {}) {
  const header = Buffer.from('00000000000000000000000000', 'hex');
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(depth, 8);
  header.writeUInt8(colorType, 9);
  const chunks = [pngChunk('IHDR', header), ...comment, pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}

const zeros = deflateSync(Buffer.alloc(40_000_000));
const webp = await picture(300, 200).webp().toBuffer();
const brokenCrc = Buffer.from(small).fill(0xff, 40, 60);

test.each<[what: string, content: Uint8Array, problem: RegExp]>([
  [
    'a picture of 2.5 billion pixels in 100 bytes',
    png(50_000, 50_000, deflateSync(Buffer.alloc(10))),
    /16384 pixels on each side/,
  ],
  ['a picture one pixel wide and 60 million high', png(1, 60_000_000, zeros), /16384 pixels|damaged/],
  [
    'a picture 50 million pixels wide and one high',
    png(50_000_000, 1, deflateSync(Buffer.alloc(50_000_001))),
    /16384 pixels/,
  ],
  ['a picture of too many pixels', png(10_000, 10_000, deflateSync(Buffer.alloc(10))), /50 million pixels/],
  [
    'a picture whose pixels have eight bytes each',
    png(7_000, 7_000, deflateSync(Buffer.alloc(10)), { depth: 16, colorType: 6 }),
    /8 bits per channel/,
  ],
  ['a picture of the largest size that has no data', png(7_000, 7_000, deflateSync(Buffer.alloc(10))), /damaged/],
  ['a picture without a width', png(0, 10, zeros), /damaged/],
  ['the signature of a picture and nothing else', small.subarray(0, 8), /damaged/],
  ['a truncated PNG file', small.subarray(0, -60), /damaged/],
  ['a truncated JPEG file', jpeg.subarray(0, jpeg.length / 2), /damaged/],
  ['a truncated WebP file', webp.subarray(0, webp.length / 2), /damaged/],
  ['a JPEG file of random data', Buffer.concat([jpeg.subarray(0, 200), Buffer.alloc(5_000, 0xa5)]), /damaged/],
  ['a PNG file with a wrong checksum', brokenCrc, /damaged/],
])('%s is refused and leaves nothing', async (_, content, problem) => {
  const { id } = await newProduct();
  const before = await media();
  const { status, body } = await upload(id, content);
  expect({ status, body }).toMatchObject({ status: 422, body: { errors: { file: [expect.stringMatching(problem)] } } });
  expect(await media()).toEqual(before);
  expect((await getProduct(id)).images).toEqual([]);
});

test.each<[what: string, content: Uint8Array]>([
  ['more data than pixels', png(10, 10, zeros)],
  [
    'a compressed comment of 40 MB',
    png(10, 10, deflateSync(Buffer.alloc(110)), {
      comment: [pngChunk('zTXt', Buffer.concat([Buffer.from('c\0\0'), zeros]))],
    }),
  ],
])('a picture with %s does no harm', async (_, content) => {
  const { id } = await newProduct();
  const { status } = await upload(id, content);
  expect([201, 422]).toContain(status);
});

test.each([
  ['an SVG picture', '<svg xmlns="http://www.w3.org/2000/svg"/>', 415],
  ['a GIF picture', 'GIF89a\u0001\u0000\u0001\u0000', 415],
  ['a PDF document', '%PDF-1.7', 415],
  ['an empty file', '', 422],
])('%s is not an image of a product', async (_, content, status) => {
  const { id } = await newProduct();
  expect((await upload(id, content)).status).toBe(status);
});

test('an image of an unknown product leaves nothing', async () => {
  const before = await media();
  const { status, body } = await upload(unknownId, small);
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'products.not_found' });
  expect(await media()).toEqual(before);
});

test('a product has at most twenty images, also when they are uploaded at once', async () => {
  const { id } = await newProduct({ images: Array.from({ length: 18 }, (_, n) => ({ url: `/${n}.png` })) });
  const before = (await media()).length;
  const answers = await Promise.all(Array.from({ length: 4 }, () => upload(id, small)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
  expect((await getProduct(id)).images).toHaveLength(20);
  expect(await media()).toHaveLength(before + 2);
});

test('an image can be moved and described', async () => {
  const { id } = await newProduct();
  const images = [
    await addImage(id, small, 'one'),
    await addImage(id, small, 'two'),
    await addImage(id, small, 'three'),
  ];
  const patch = async (image: ProductImage | undefined, changes: object) => {
    const { status, body } = await merchant.patch(`${imagesUrl(id)}/${image?.id}`, changes);
    expect(status).toBe(200);
    return body.product.images.map(({ alt }: ProductImage) => alt);
  };
  expect(await patch(images[2], { position: 1 })).toEqual(['three', 'one', 'two']);
  expect(await patch(images[2], { position: 2, alt: '3' })).toEqual(['one', '3', 'two']);
  expect(await patch(images[0], { position: 20 })).toEqual(['3', 'two', 'one']);
  expect(await patch(images[0], {})).toEqual(['3', 'two', 'one']);
  expect((await merchant.patch(`${imagesUrl(id)}/${images[0]?.id}`, { position: 0 })).status).toBe(422);
  const unknown = await merchant.patch(`${imagesUrl(id)}/${unknownId}`, { alt: 'x' });
  expect(unknown).toMatchObject({ status: 404, body: { code: 'products.image_not_found' } });
});

test('a deleted image can no longer be read, nor can those of a deleted product', async () => {
  const { id } = await newProduct();
  const before = (await media()).length;
  const [first, second] = [await addImage(id, jpeg), await addImage(id, jpeg)];
  expect(await media()).toHaveLength(before + 6);
  const { status, body } = await merchant.delete(`${imagesUrl(id)}/${first.id}`);
  expect({ status, images: body.product.images }).toEqual({ status: 200, images: [second] });
  expect((await fetchPicture(first.url)).status).toBe(404);
  expect((await fetchPicture(second.url)).status).toBe(200);
  expect((await merchant.delete(`${imagesUrl(id)}/${first.id}`)).body.code).toBe('products.image_not_found');
  await merchant.delete(`/api/v1/products/${id}`);
  expect((await fetchPicture(second.url)).status).toBe(404);
  expect(await media()).toHaveLength(before);
});

test('a new list of images keeps those that it names and removes the files of the others', async () => {
  const { id } = await newProduct();
  const [first, second] = [await addImage(id, small, 'one'), await addImage(id, small, 'two')];
  const before = (await media()).length;
  const images = [{ url: second.url, alt: 'new' }, { url: 'https://cdn.example.com/a.png' }];
  const { body } = await merchant.patch(`/api/v1/products/${id}`, { images });
  expect(body.product.images).toMatchObject([
    { ...second, alt: 'new' },
    { url: images[1]?.url, sizes: [] },
  ]);
  expect((await fetchPicture(first.url)).status).toBe(404);
  expect(await media()).toHaveLength(before - 1);
});

test('a CSV import keeps the images that it names and removes the files of the others', async () => {
  const { id, sku } = await newProduct();
  const [first, second] = [await addImage(id), await addImage(id)];
  const importRow = (images: string) => {
    const payload = `sku,title,price,images\r\n${sku},T,1,${images}\r\n`;
    return merchant.request({
      method: 'POST',
      url: '/api/v1/products/import',
      headers: { 'content-type': 'text/csv' },
      payload,
    });
  };
  expect((await importRow(`${second.url} Side`)).body).toMatchObject({ updated: 1, failed: 0 });
  expect((await getProduct(id)).images).toEqual([{ ...second, alt: 'Side' }]);
  expect((await fetchPicture(first.url)).status).toBe(404);
});

test('another tenant can neither change nor delete an image, nor remove its file by naming its address', async () => {
  const { id } = await newProduct();
  const image = await addImage(id);
  const other = (await platform.tenant()).caller(
    'products.view',
    'products.create',
    'products.edit',
    'products.delete',
  );
  expect((await other.delete(`${imagesUrl(id)}/${image.id}`)).status).toBe(404);
  const stolen = { sku: 'S', title: 'T', price: 1, images: [{ url: image.url }] };
  const { body } = await other.post('/api/v1/products', stolen);
  await other.delete(`${imagesUrl(body.product.id)}/${body.product.images[0].id}`);
  expect((await fetchPicture(image.url)).status).toBe(200);
});

test('an upload with an Idempotency-Key adds one image', async () => {
  const { id } = await newProduct();
  const request = {
    ...formRequest(imagesUrl(id), filePart(small)),
    headers: { ...formHeaders, 'idempotency-key': 'one' },
  };
  const [first, again] = [await merchant.request(request), await merchant.request(request)];
  expect(again.body).toEqual(first.body);
  expect((await getProduct(id)).images).toHaveLength(1);
});
