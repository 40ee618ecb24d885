import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/testing/chowkd.ts';
import { completeInBash, completeInFish, completeInZsh, hasShell } from '../../testing/shells.ts';

test.each<[string[], string[]]>([
  [['cust'], ['customers']],
  [
    ['customers', 'ex'],
    ['export', 'export-person'],
  ],
  [['orders', 'list', '--sta'], ['--status=']],
  [['orders', 'list', '--status', '=', 'pe'], ['pending']],
  [['orders', 'status', '7', 'ref'], ['refunded']],
  [
    ['config', ''],
    ['get', 'list', 'set'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['--tenant', 'acme', 'orders', 're'], ['refund']],
  [['nothing', ''], []],
])('bash completes %j to %j', async (words, expected) => {
  expect(await completeInBash(words)).toEqual(expected);
});

async function folderWithFile(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'prices.csv'), '');
  return folder;
}

describe.skipIf(!hasShell('zsh'))('zsh', () => {
  test.each([
    ['chowk cust', 'chowk customers '],
    ['chowk orders list --sta', 'chowk orders list --status='],
    ['chowk orders list --status=pe', 'chowk orders list --status=pending '],
    ['chowk orders status 7 ref', 'chowk orders status 7 refunded '],
    ['chowk --tenant acme orders re', 'chowk --tenant acme orders refund '],
  ])('completes %j to %j', async (line, completed) => {
    expect(await completeInZsh(line)).toEqual([completed]);
  });

  test('offers one word after the other', async () => {
    const words = ['', 'get', 'list', 'set'].map((word) => `chowk config ${word}`);
    expect(await completeInZsh('chowk config ', { presses: 4 })).toEqual(words);
  });

  test('completes files where a file is expected', async () => {
    const cwd = await folderWithFile();
    expect(await completeInZsh('chowk products import pri', { cwd })).toEqual(['chowk products import prices.csv ']);
  });
});

describe.skipIf(!hasShell('fish'))('fish', () => {
  test.each([
    ['chowk cust', ['customers']],
    ['chowk orders list --sta', ['--status=']],
    ['chowk orders list --status=pe', ['--status=pending']],
    ['chowk orders list --status pe', ['pending']],
    ['chowk orders status 7 ref', ['refunded']],
    ['chowk config ', ['get', 'list', 'set']],
  ])('completes %j to %j', async (line, expected) => {
    expect((await completeInFish(line)).map((found) => found.split('\t')[0])).toEqual(expected);
  });

  test('shows the help of what it offers', async () => {
    expect(await completeInFish('chowk config g')).toEqual(['get\tShow a value of the configuration']);
  });

  test('completes files where a file is expected', async () => {
    expect(await completeInFish('chowk products import pri', { cwd: await folderWithFile() })).toEqual(['prices.csv']);
  });
});
