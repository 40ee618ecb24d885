import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = pathToFileURL(resolve(import.meta.dirname, 'decode-image.ts')).href;

/** In a process of its own: this one may have loaded the library. */
const withoutSharp = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'sharp') throw new Error('Could not load the "sharp" module');
      return next(specifier, context);
    },
  });
  const { decodeImage } = await import('${program}');
  console.log(JSON.stringify(await decodeImage(Buffer.alloc(0), [100])));`;

test('where sharp does not load, images are unavailable', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', withoutSharp]);
  expect(JSON.parse(stdout)).toEqual({ status: 'unavailable' });
});
