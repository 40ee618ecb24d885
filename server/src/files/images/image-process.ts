import { buffer } from 'node:stream/consumers';
import type { ImageType } from '@chowk/kit/kernel';
import { decodeImage } from './decode-image.ts';

/* The program of a child process: decodes one picture, which it reads from its standard input, and sends the result. */

process.on('disconnect', () => process.exit());
const [type, ...sizes] = process.argv.slice(2);
const result = await decodeImage(await buffer(process.stdin), sizes.map(Number), type as ImageType).catch(() => ({
  status: 'refused',
  problem: 'The file is damaged or is not a picture that can be read.',
}));
process.send?.(result, () => process.exit());
