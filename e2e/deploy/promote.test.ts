import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const script = resolve(import.meta.dirname, '../../deploy/promote.sh');
const execute = promisify(execFile);
const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

/** In place of the program: writes the version that edge has, and its arguments, to the lock file of stable. */
const program = `#!/bin/sh
[ "$2" != broken ] || { echo 'chowkd: refused' >&2; exit 1; }
[ "$2" != same ] || exit 0
echo "$@" > modules/manifest.lock.json
`;

interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** A repository and a clone of it, as a CI makes one. */
async function startRepository() {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-promote-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [origin, clone, other] = ['origin.git', 'clone', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const git = async (cwd: string, ...args: string[]) =>
    (await execute('git', [...author, ...args], { cwd })).stdout.trim();
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', origin);
  await git(folder, 'clone', '--quiet', origin, other);
  await mkdir(join(other, 'modules/manifests'), { recursive: true });
  await mkdir(join(other, 'deploy'));
  await cp(script, join(other, 'deploy/promote.sh'));
  await writeFile(join(other, 'chowkd'), program);
  await chmod(join(other, 'chowkd'), 0o755);
  await writeFile(join(other, 'modules/manifest.lock.json'), 'before\n');
  await writeFile(join(other, 'README.md'), 'one\n');
  await git(other, 'add', '--all');
  await git(other, 'commit', '--quiet', '--message=first');
  await git(other, 'push', '--quiet', 'origin', 'HEAD:main');
  await git(folder, 'clone', '--quiet', origin, clone);
  const promote = (environment: Record<string, string>): Promise<Outcome> => {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: folder, PROMOTE_FROM: 'edge', PROMOTE_TO: 'stable', ...environment };
    return execute('deploy/promote.sh', [], { cwd: clone, env }).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      ({ code, stderr }) => ({ code, output: stderr }),
    );
  };
  const commitElsewhere = async (name: string, text: string) => {
    await git(other, 'pull', '--quiet', 'origin', 'main');
    await writeFile(join(other, name), text);
    await git(other, 'commit', '--quiet', '--all', '--message=meanwhile');
    await git(other, 'push', '--quiet', 'origin', 'HEAD:main');
  };
  const log = () => git(origin, 'log', '--format=%an: %s', 'main');
  const lock = () => git(origin, 'show', 'main:modules/manifest.lock.json');
  return { clone, promote, commitElsewhere, log, lock };
}

test('a promotion is committed to the main branch, on top of what others have pushed', async () => {
  const { promote, commitElsewhere, log, lock } = await startRepository();
  await commitElsewhere('README.md', 'two\n');
  const variables = { PROMOTE_ALIAS: 'orders', PROMOTE_SOAK: '24h', GITLAB_USER_NAME: 'Asha' };
  expect(await promote(variables)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Committed \w+ to main\.$/m),
  });
  expect(await lock()).toBe('ring:promote orders --from=edge --to=stable --soak=24h');
  expect((await log()).split('\n')).toEqual([
    'Asha: chore(rings): promote orders from edge to stable',
    'Test: meanwhile',
    'Test: first',
  ]);
});

test('a push that another one overtakes is repeated', async () => {
  const { clone, promote, commitElsewhere, log, lock } = await startRepository();
  // Runs between the fetch and the push of the script.
  const hook = join(clone, '.git/hooks/pre-push');
  const marker = join(clone, 'overtaken');
  await writeFile(hook, `#!/bin/sh\n[ -e ${marker} ] || { touch ${marker}; sleep 600 & echo $! > ${marker}; wait; }\n`);
  await chmod(hook, 0o755);
  const done = promote({ PROMOTE_ALIAS: 'orders' });
  const pid = await expect
    .poll(async () => Number(await readFile(marker, 'utf8').catch(() => '')))
    .toBeGreaterThan(0)
    .then(async () => Number(await readFile(marker, 'utf8')));
  await commitElsewhere('README.md', 'three\n');
  process.kill(pid);
  expect(await done).toMatchObject({ code: 0 });
  expect((await log()).split('\n')).toHaveLength(3);
  expect(await lock()).toContain('ring:promote orders');
});

test('a refused promotion commits nothing, and one that changes nothing succeeds', async () => {
  const { promote, log } = await startRepository();
  expect(await promote({ PROMOTE_ALIAS: 'broken' })).toEqual({ code: 1, output: 'chowkd: refused\n' });
  expect(await promote({ PROMOTE_ALIAS: 'same' })).toMatchObject({
    code: 0,
    output: 'The lock file of stable has not changed.\n',
  });
  expect(await log()).toBe('Test: first');
});

test.each([
  ['without a module', {}],
  ['with an option for a name', { PROMOTE_ALIAS: '--force' }],
  ['with a command for a name', { PROMOTE_ALIAS: 'orders; touch /tmp/x' }],
  ['with a path for a ring', { PROMOTE_ALIAS: 'orders', PROMOTE_TO: '../stable' }],
])('%s it does not start', async (_, variables) => {
  const { promote, log } = await startRepository();
  const { code, output } = await promote(variables);
  expect(code).toBe(2);
  expect(output).toMatch(/^promote\.sh: PROMOTE_(ALIAS|TO) must be a name of lower-case letters/);
  expect(await log()).toBe('Test: first');
});
