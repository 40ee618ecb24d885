import type { ImageType } from '@chowk/kit/kernel';
import type Sharp from 'sharp';
import type { Metadata } from 'sharp';

export interface EncodedImage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** What the child process sends. */
export type DecodeResult =
  | { readonly status: 'encoded'; readonly images: readonly EncodedImage[] }
  | { readonly status: 'refused'; readonly problem: string }
  | { readonly status: 'unavailable' };

/** A line of pixels is held in memory several times. */
const maxSide = 16_384;
const maxPixels = 50_000_000;
/** The size of the decoded picture: some pictures cannot be decoded line by line. */
const maxDecodedBytes = 200_000_000;

const bytesPerSample: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 };

/** Re-encodes a picture with the longer side in each of the sizes, the largest first; it is never enlarged. */
export async function decodeImage(content: Buffer, sizes: readonly number[], type: ImageType): Promise<DecodeResult> {
  const sharp = await loadSharp();
  if (!sharp) return { status: 'unavailable' };
  const problem = findProblem(await sharp(content, { limitInputPixels: false }).metadata());
  if (problem) return { status: 'refused', problem };
  const [largest = 0, ...others] = sizes;
  const { data, info } = await sharp(content, { limitInputPixels: maxPixels, failOn: 'error' })
    .autoOrient()
    .toColourspace('srgb')
    .resize(largest, largest, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const longerSide = Math.max(width, height);
  const images: EncodedImage[] = [];
  for (const size of [longerSide, ...others.filter((other) => other < longerSide)]) {
    const resized = sharp(data, { raw: { width, height, channels } }).resize(size, size, { fit: 'inside' });
    const encoded = await (type === 'image/png' ? resized.png() : resized.webp({ quality: 82 })).toBuffer({
      resolveWithObject: true,
    });
    images.push({ data: encoded.data, width: encoded.info.width, height: encoded.info.height });
  }
  return { status: 'encoded', images };
}

/** From the header alone, before anything is decoded. */
function findProblem({ width, height, channels, depth }: Metadata): string | undefined {
  const pixels = width * height;
  if (width > maxSide || height > maxSide) return `The picture must have at most ${maxSide} pixels on each side.`;
  if (pixels > maxPixels) return `The picture must have at most ${maxPixels / 1_000_000} million pixels.`;
  if (pixels * channels * (bytesPerSample[depth] ?? 8) > maxDecodedBytes) {
    return 'The picture has too many pixels for its depth of color. Save it with 8 bits per channel.';
  }
  return undefined;
}

/** Its native library may be missing for the platform; everything but pictures works without it. */
async function loadSharp(): Promise<typeof Sharp | undefined> {
  try {
    const { default: sharp } = await import('sharp');
    sharp.cache(false);
    sharp.concurrency(1);
    // Only decoders of the accepted types.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });
    return sharp;
  } catch {
    return undefined;
  }
}
