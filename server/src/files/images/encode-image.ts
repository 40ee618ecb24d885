import { join } from 'node:path';
import { type ImageType, invalid, type Upload } from '@chowk/kit/kernel';
import { fail } from '../../errors.ts';
import { runLimited } from '../../limited-process.ts';
import type { DecodeResult, EncodedImage } from './decode-image.ts';

const program = join(import.meta.dirname, 'image-process.ts');
const limits = { maxSeconds: 20, maxMegabytes: 1_000 };
/** More at once would take the memory and the processors from other requests. */
const maxRunning = 2;
const maxWaiting = 50;

const tooExpensive = 'The picture needs too much memory or time to be read. Save it smaller.';

/**
 * Re-encodes a picture with the longer side in each of the sizes, the largest first; it is not enlarged. Throws 422 if
 * it cannot be read. In a child process with limits on time and memory: a small file can demand a lot of both.
 */
export async function encodeImage(
  upload: Upload,
  sizes: readonly number[],
  type: ImageType,
): Promise<readonly EncodedImage[]> {
  const args = [type, ...sizes.map(String)];
  const result = await inTurn(() => runLimited<DecodeResult>(program, { args, input: upload.stream(), ...limits }));
  if (result?.status === 'encoded') return result.images;
  if (result?.status === 'unavailable') throw fail('files.images_unavailable');
  throw invalid({ [upload.field]: result?.problem ?? tooExpensive });
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < maxRunning) running += 1;
  else if (waiting.length >= maxWaiting) throw fail('files.images_busy');
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
