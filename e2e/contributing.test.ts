import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { lintOpenApi } from './lint-openapi.ts';
import { install } from './platform.ts';
import { copyRepository } from './repository-copy.ts';

/* The recipe "Add a module" of CONTRIBUTING.md, run as a new contributor would run it. */

const repository = resolve(import.meta.dirname, '..');
const execute = promisify(execFile);

/** Code blocks of a section, each with its language and the first path that the paragraph before it names. */
function codeBlocks(section: string): { language: string; path: string | undefined; content: string }[] {
  const blocks = section.matchAll(
    /(?<lead>(?:^(?! *```).*\n)*?)^(?<indent> *)```(?<language>\w+)\n(?<body>[\s\S]*?)^ *```$/gm,
  );
  return [...blocks].map(({ groups: { lead = '', indent = '', language = '', body = '' } = {} }) => ({
    language,
    path: lead.match(/`(modules\/notes\/[^`]+)`/)?.[1],
    content: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

const [, section = ''] =
  /^## Add a module\n([\s\S]*?)^### /m.exec(await readFile(join(repository, 'CONTRIBUTING.md'), 'utf8')) ?? [];
const blocks = codeBlocks(section);
const files = blocks.flatMap(({ path, language, content }) =>
  path === undefined || language === 'sh' ? [] : [{ path, content }],
);
const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ content }) => content.trim().split('\n'));

const folder = await copyRepository();
for (const { path, content } of files) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

/** Runs a command line in the copy and returns what it prints; an error has the whole output. */
async function run(command: string, signal: AbortSignal): Promise<string> {
  const { PATH, HOME } = process.env;
  const options = { cwd: folder, env: { PATH, HOME }, maxBuffer: 2 ** 24, signal };
  const { stdout } = await execute('sh', ['-c', command], options).catch(
    (failed: { stdout: string; stderr: string }) => {
      throw new Error(`${command}\n${failed.stdout}\n${failed.stderr}`);
    },
  );
  return stdout;
}

/** The commands take about a minute together on two idle cores. */
const timeout = 600_000;

test('the recipe shows every file of the module', () => {
  expect(files.map(({ path }) => path.replace('modules/notes/', ''))).toEqual([
    'module.json',
    'migrations/0001_notes.sql',
    'module.ts',
    'notes.test.ts',
    'README.md',
  ]);
  expect(commands).toEqual(['npm run fix', 'npm run check', 'npx vitest run modules/notes']);
});

/**
 * The tests that cover every module run together with the module's own, as far as they are about it. In one worker: each loads
 * all of the code.
 */
const platformTests = [
  'server/src/loader/every-module.test.ts',
  'server/src/http/all-actions.test.ts',
  'modules/identity/permission-matrix.test.ts',
  '--maxWorkers=1',
  '-t',
  "'note|every action|no two routes|system roles'",
];

test.for(commands)('%s succeeds with the module of the recipe', { timeout }, async (command, { signal }) => {
  const isTest = command.startsWith('npx vitest run');
  const output = await run(isTest ? [command, ...platformTests].join(' ') : command, signal);
  if (isTest)
    expect(stripVTControlCharacters(output)).toMatch(/✓ modules\/notes\/notes\.test\.ts .*\n.*Test Files +4 passed/s);
});

test("the linters of the API description report no problem in the module's part", async () => {
  const description = JSON.parse(await readFile(join(folder, 'docs/openapi.json'), 'utf8'));
  const paths = Object.entries(description.paths).filter(([path]) => path.startsWith('/api/v1/notes'));
  expect(paths).not.toEqual([]);
  const text = JSON.stringify({ ...description, paths: Object.fromEntries(paths) });
  const findings = await lintOpenApi(text);
  // The components of the other modules.
  expect(findings.filter(({ rule }) => !/unused-component/.test(rule))).toEqual([]);
});

test('npm run dev restarts with a changed module, locks it and seeds its new permission', { timeout }, async () => {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: '0', STORAGE_PATH: join(folder, 'storage'), SPARE_DATABASES: '0' };
  // What `npm run dev` runs: npm itself does not pass signals on.
  const node = join(folder, 'node_modules/.bin/node');
  const child = spawn(node, ['scripts/dev.ts'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const addresses = () => [...output.matchAll(/ready at (\S+)/g)].map(([, address = '']) => address);
  const untilStarted = (times: number) => expect.poll(addresses, { timeout: timeout / 3 }).toHaveLength(times);
  await untilStarted(1);
  const { token, tenant } = await install(addresses()[0] ?? '');
  const file = join(folder, 'modules/notes/module.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const permissions = [...manifest.permissions, 'notes.archive'];
  await writeFile(file, JSON.stringify({ ...manifest, version: '1.0.1', permissions }));
  await untilStarted(2);
  const lock = JSON.parse(await readFile(join(folder, 'modules/manifest.lock.json'), 'utf8'));
  expect(lock.modules.notes.version).toBe('1.0.1');
  const response = await fetch(`${addresses()[1]}/api/v1/auth/me`, {
    headers: { authorization: `Bearer ${token}`, 'x-tenant': tenant },
  });
  expect(await response.json()).toMatchObject({
    permissions: expect.arrayContaining(['notes.create', 'notes.archive']),
  });
});
