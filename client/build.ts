import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/* Writes the package as JavaScript with its types to `dist`, or to the folder that is given: for projects elsewhere. */

const folder = import.meta.dirname;
const target = resolve(process.argv[2] ?? join(folder, 'dist'));
rmSync(target, { recursive: true, force: true });
const compiler = join(folder, '../node_modules/.bin/tsc');
execFileSync(compiler, ['-p', join(folder, 'tsconfig.build.json'), '--outDir', target], { stdio: 'inherit' });
const {
  private: _,
  scripts: __,
  devDependencies: ___,
  ...manifest
} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const exports = { '.': { types: './client.d.ts', default: './client.js' } };
writeFileSync(join(target, 'package.json'), `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
copyFileSync(join(folder, 'README.md'), join(target, 'README.md'));
copyFileSync(join(folder, '../LICENSE'), join(target, 'LICENSE'));
