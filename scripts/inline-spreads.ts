import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './run.ts';

/* The formatter writes each field of a long literal in a line of its own: `...{ a, b }` only evades it. */

/** The lines with a literal that is spread where it is written, such as `...{ a, b }`. */
export function inlineSpreads(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      /(?<=^|[\s{,([])\.\.\.\{ ?["'\w[]/.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
    );
}

if (import.meta.main) {
  const skipped = ['**/node_modules/**', 'web/dist/**', 'dist/**', 'scripts/inline-spreads*'];
  for await (const path of glob('**/*.{ts,tsx}', { cwd: root, exclude: skipped })) {
    for (const problem of inlineSpreads(path, await readFile(join(root, path), 'utf8'))) {
      process.stderr.write(`${problem}: write its fields without the spread\n`);
      process.exitCode = 1;
    }
  }
}
