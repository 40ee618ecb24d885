import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrl } from '../platform.ts';
import { copyRepository } from '../repository-copy.ts';

const script = resolve(import.meta.dirname, '../../deploy/promote.sh');
const execute = promisify(execFile);
const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

/** In place of the program: writes the version that edge has, and its arguments, to the lock file of stable. */
const program = `#!/bin/sh
echo "$@" >> "$HOME/commands"
[ "$1" = ring:promote ] || exit 0
[ "$2" != broken ] || { echo 'chowkd: refused' >&2; exit 1; }
[ "$2" != same ] || exit 0
echo before > modules/manifests/stable.lock.json.previous
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
  const changedFiles = () => git(origin, 'show', '--name-only', '--format=', 'main');
  const commands = () => readFile(join(folder, 'commands'), 'utf8');
  return { clone, promote, commitElsewhere, log, lock, changedFiles, commands };
}

test('a promotion is committed to the main branch, on top of what others have pushed', async () => {
  const { promote, commitElsewhere, log, lock, changedFiles, commands } = await startRepository();
  await commitElsewhere('README.md', 'two\n');
  const variables = { PROMOTE_ALIAS: 'orders', PROMOTE_SOAK: '24h', GITLAB_USER_NAME: 'Asha' };
  expect(await promote(variables)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Committed \w+ to main\.$/m),
  });
  expect(await lock()).toBe('ring:promote orders --from=edge --to=stable --soak=24h');
  expect(await changedFiles()).toBe('modules/manifest.lock.json');
  expect(await commands()).toMatch(
    /^module:install --locked --ring=edge\nmodule:install --locked --ring=stable\nring:promote/,
  );
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

test('without a module, and with options, commands or paths for names, it does not start', async () => {
  const { promote, log } = await startRepository();
  const wrong: Record<string, string>[] = [
    {},
    { PROMOTE_ALIAS: '--force' },
    { PROMOTE_ALIAS: 'orders; touch /tmp/x' },
    { PROMOTE_ALIAS: 'orders', PROMOTE_TO: '../stable' },
  ];
  for (const variables of wrong) {
    expect({ variables, ...(await promote(variables)) }).toEqual({
      variables,
      code: 2,
      output: expect.stringMatching(/^promote\.sh: PROMOTE_(ALIAS|TO) must be a name of lower-case letters/),
    });
    expect(await log()).toBe('Test: first');
  }
});

test('in a clone without packages, a package is promoted', async () => {
  const repository = await copyRepository();
  const folder = await mkdtemp(join(tmpdir(), 'chowk-promote-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const origin = join(folder, 'origin.git');
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = {
    PATH,
    NODE_COMPILE_CACHE,
    HOME: folder,
    APP_ENV: 'testing',
    DATABASE_URL: databaseUrl(),
    STORAGE_PATH: join(folder, 'storage'),
    MODULE_REGISTRY_PATH: join(folder, 'registry'),
  };
  const git = (...args: string[]) => execute('git', [...author, ...args], { cwd: repository });
  const chowkd = (...args: string[]) => execute(join(repository, 'chowkd'), args, { cwd: repository, env });
  const sources = join(folder, 'notes');
  await mkdir(sources);
  const described = { name: 'Notes', alias: 'notes', version: '1.0.0', description: 'Notes.' };
  await writeFile(
    join(sources, 'module.json'),
    JSON.stringify({ ...described, compatibility: { platform: '^1.0.0' } }),
  );
  await writeFile(
    join(sources, 'module.ts'),
    "import { defineModule } from '@chowk/kit';\nexport const module = defineModule({});\n",
  );
  // Loading fewer modules takes less time.
  const lockFile = join(repository, 'modules/manifest.lock.json');
  const { modules, ...whole } = JSON.parse(await readFile(lockFile, 'utf8'));
  const { identity, administration } = modules;
  await writeFile(lockFile, JSON.stringify({ ...whole, modules: { administration, identity } }));
  await chowkd('migrate');
  await chowkd('module:pack', sources, `--out=${folder}`);
  await chowkd('module:publish', join(folder, 'Notes-1.0.0.zip'));
  await chowkd('ring:create', 'edge');
  await chowkd('module:install', 'notes@1.0.0');
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=first');
  await execute('git', ['clone', '--quiet', '--bare', repository, origin]);
  await git('remote', 'add', 'origin', origin);
  const variables = { PROMOTE_ALIAS: 'notes', PROMOTE_FROM: 'stable', PROMOTE_TO: 'edge' };
  const { stdout } = await execute('deploy/promote.sh', {
    cwd: repository,
    env: { ...env, ...variables, MODULES_PATH: join(folder, 'fresh') },
  });
  expect(stdout).toMatch(/^Committed \w+ to main\.$/m);
  const files = (await git('show', '--name-only', '--format=', 'origin/main')).stdout;
  expect(files).toBe('modules/manifests/edge.lock.json\n');
  const lock = JSON.parse((await git('show', 'origin/main:modules/manifests/edge.lock.json')).stdout);
  expect(lock.modules.notes).toMatchObject({ version: '1.0.0' });
  expect((await git('ls-tree', '-r', '--name-only', 'origin/main', 'modules')).stdout).not.toContain('.previous');
}, 300_000);
