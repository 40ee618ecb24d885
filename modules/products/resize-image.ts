import { buffer } from 'node:stream/consumers';
import { Failure, invalid, type Upload } from '@chowk/kit';
import type Sharp from 'sharp';
import { fail } from './errors.ts';

export interface Picture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The longer side in pixels, at most. Smaller pictures are not enlarged. */
const bounds = [1_600, 800, 200] as const;
/** A picture of 100 KB can have billions of pixels. */
const maxPixels = 50_000_000;
const maxSeconds = 20;
/** More at once would take the memory and the processors from other requests. */
const maxRunning = 2;
const maxWaiting = 50;

/**
 * Encodes a picture anew, as WebP in several sizes, the largest first. Nothing but the pixels remains: no metadata, such as the
 * place where a photo was taken, and no other content. Throws 422 if it cannot be read.
 */
export async function resizeImage(upload: Upload): Promise<Picture[]> {
  const sharp = await loadSharp();
  return inTurn(async () => {
    try {
      return await resize(sharp, await buffer(upload.stream()));
    } catch (error) {
      throw error instanceof Failure ? error : unreadable(error);
    }
  });
}

async function resize(sharp: typeof Sharp, content: Buffer): Promise<Picture[]> {
  const [largest, ...others] = bounds;
  const { data, info } = await sharp(content, { limitInputPixels: maxPixels, failOn: 'error' })
    .timeout({ seconds: maxSeconds })
    .autoOrient()
    .toColourspace('srgb')
    .resize(largest, largest, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const longerSide = Math.max(width, height);
  const sizes = [longerSide, ...others.filter((bound) => bound < longerSide)];
  const pictures: Picture[] = [];
  for (const size of sizes) {
    const encoded = await sharp(data, { raw: { width, height, channels } })
      .resize(size, size, { fit: 'inside' })
      .webp({ quality: 82 })
      .toBuffer({ resolveWithObject: true });
    pictures.push({ data: encoded.data, width: encoded.info.width, height: encoded.info.height });
  }
  return pictures;
}

function unreadable(error: unknown): Failure {
  const { message } = error as Error;
  const problem = /pixel limit/.test(message)
    ? `The file must have at most ${maxPixels / 1_000_000} million pixels.`
    : 'The file is damaged or is not a picture that can be read.';
  return invalid({ file: problem });
}

let loaded: Promise<typeof Sharp> | undefined;

/** Its native library may be missing for the platform; everything but pictures works without it. */
async function loadSharp(): Promise<typeof Sharp> {
  try {
    loaded ??= import('sharp').then(({ default: sharp }) => configure(sharp));
    return await loaded;
  } catch (cause) {
    throw fail('products.images_unavailable', {}, { cause });
  }
}

function configure(sharp: typeof Sharp): typeof Sharp {
  sharp.cache(false);
  sharp.concurrency(1);
  // Only decoders of the accepted types.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });
  return sharp;
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < maxRunning) running += 1;
  else if (waiting.length >= maxWaiting) throw fail('products.images_busy');
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
