import { expect, test } from 'vitest';
import { documentedVariables } from '../server/src/config/config.ts';
import { configurationDoc } from './configuration-doc.ts';

const rows = configurationDoc()
  .split('\n')
  .filter((line) => line.startsWith('| `'));

test('each variable has exactly one row', () => {
  const listed = rows.map((row) => row.match(/^\| `([A-Z_]+)` \|/)?.[1]);
  expect(listed).toEqual(documentedVariables().map(({ name }) => name));
  expect(new Set(listed).size).toBe(listed.length);
});

test('no row has an empty cell', () => {
  for (const row of rows) expect(row).toMatch(/^(\| \S(?:[^|]|\\\|)* ){4}\|$/);
});

test('the page contains no path of the machine that generates it', () => {
  expect(configurationDoc()).not.toContain(process.cwd());
  expect(rows.find((row) => row.includes('`STORAGE_PATH`'))).toBeDefined();
});
