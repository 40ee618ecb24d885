import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/testing/chowkd.ts';
import { mainFile, node, runChowk } from '../../testing/chowk.ts';

const run = promisify(execFile);

/** What a real bash offers for a line, with the program in its path. */
async function completeInBash(words: readonly string[]): Promise<string[]> {
  const folder = await temporaryFolder();
  const program = join(folder, 'chowk');
  await writeFile(program, `#!/bin/sh\nexec '${node}' '${mainFile}' "$@"\n`);
  await chmod(program, 0o755);
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `
    source <(chowk completion bash)
    compopt() { :; }
    COMP_WORDS=(chowk ${line}); COMP_CWORD=${words.length}
    _chowk
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });
  return stdout.split('\n').filter((text) => text !== '');
}

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

test.each(['bash', 'zsh', 'fish'])('there is a script for %s', async (shell) => {
  const { out, code } = await runChowk(await temporaryFolder(), ['completion', shell]);
  expect(code).toBe(0);
  expect(out).toContain('chowk __complete');
});
