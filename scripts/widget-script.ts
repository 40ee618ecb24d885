import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** Bundles `web/widget` into the script that pages of shops load; with `--check`, fails if that is out of date. */
const root = resolve(import.meta.dirname, '..');
const file = resolve(root, 'modules/widget/script.js');
const script = await bundle();
if (!process.argv.includes('--check')) await writeFile(file, script);
else if ((await readFile(file, 'utf8')) !== script) {
  console.error("out of date: modules/widget/script.js; run 'npm run fix'");
  process.exitCode = 1;
}

async function bundle(): Promise<string> {
  const cwd = resolve(root, 'web/widget');
  const build = await rolldown({
    cwd,
    input: './main.ts',
    platform: 'browser',
    experimental: { attachDebugInfo: 'none' },
  });
  try {
    const { output } = await build.generate({ format: 'iife', minify: true, comments: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}
