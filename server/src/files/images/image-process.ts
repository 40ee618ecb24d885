import { buffer } from 'node:stream/consumers';
import { decodeImage } from './decode-image.ts';

/* The program of a child process: decodes one picture, which it reads from its standard input, and sends the result. */

process.on('disconnect', () => process.exit());
const sizes = process.argv.slice(2).map(Number);
const result = await decodeImage(await buffer(process.stdin), sizes).catch(() => ({
  status: 'refused',
  problem: 'The file is damaged or is not a picture that can be read.',
}));
process.send?.(result, () => process.exit());
