import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Derives a slug from a name in any script; empty if nothing of it can be written in a host name. */
export function slugify(name: string, maxLength = 50): string {
  // Loaded on first use: its tables take half a megabyte.
  const { default: anyAscii } = require('any-ascii') as typeof import('any-ascii');
  return anyAscii(name.normalize('NFC'))
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '');
}
