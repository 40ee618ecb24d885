import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { printTable } from './figures.ts';
import { type Fault, faults, staleFaults } from './planted-faults.ts';

/*
 * Do the tests find what they found before? Plants faults, one at a time, and runs the tests that are for them.
 * `node_modules/.bin/node bench/faults.ts <checkout> [<another checkout>]`, with checkouts that nobody works in: their files are
 * changed and restored. `ONLY='role|cursor'` plants those whose names match.
 */

const checkouts = process.argv.slice(2).map((folder) => resolve(folder));
if (checkouts.length === 0) {
  console.error('usage: node bench/faults.ts <checkout> [<another checkout>]');
  process.exit(2);
}
const only = new RegExp(process.env.ONLY ?? '');
const chosen = faults.filter(({ name }) => only.test(name));
for (const checkout of checkouts) {
  const stale = await staleFaults(checkout);
  if (stale.length > 0) throw new Error(`${checkout}: ${stale.join('; ')}`);
  for (const test of new Set(chosen.flatMap((fault) => fault.tests))) {
    if (!(await succeeds(checkout, test))) throw new Error(`${checkout}: ${test} fails without a fault`);
  }
}

const rows: string[][] = [];
for (const fault of chosen) {
  const found: string[] = [];
  for (const checkout of checkouts) found.push((await isFound(checkout, fault)) ? 'found' : 'missed');
  rows.push([fault.name, ...found]);
  console.log([fault.name, ...found].join('  '));
}
const totals = checkouts.map((_, index) => `${rows.filter((row) => row[index + 1] === 'found').length}`);
printTable('Planted faults', ['', ...checkouts], [...rows, [`of ${chosen.length}`, ...totals]]);

async function isFound(checkout: string, { file, from, to, tests }: Fault): Promise<boolean> {
  const path = join(checkout, file);
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  try {
    for (const test of tests) if (!(await succeeds(checkout, test))) return true;
    return false;
  } finally {
    await writeFile(path, text);
  }
}

async function succeeds(checkout: string, test: string): Promise<boolean> {
  const programs = join(checkout, 'node_modules/.bin');
  const args = [join(programs, 'vitest'), 'run', test, '--bail=1'];
  const options = { cwd: checkout, maxBuffer: 2 ** 26 };
  return promisify(execFile)(join(programs, 'node'), args, options).then(
    () => true,
    () => false,
  );
}
