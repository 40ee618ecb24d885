import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { archive, release } from '../../testing/release-files.ts';
import { platformAnswers, serve } from '../../testing/release-server.ts';
import { upgradeEnvironment } from '../../testing/upgrade-environment.ts';
import { upgradeCommand } from '../commands/upgrade.ts';
import type { Environment } from '../environment.ts';
import { startBackgroundCheck } from './background-check.ts';
import { type CheckFile, readCheckFile } from './check-file.ts';

const now = Date.parse('2026-11-18T12:00:00Z');
const minute = 60_000;
const hour = 60 * minute;
const ago = (ms: number) => new Date(now - ms).toISOString();

/** The surroundings on a terminal. The program notes how it was started. */
async function prepare(file: CheckFile | string | undefined, changes: Changes = {}) {
  const configFolder = await mkdtemp(join(tmpdir(), 'chowk-check-'));
  // The program may still be writing.
  onTestFinished(() => rm(configFolder, { recursive: true, maxRetries: 20, retryDelay: 50 }));
  const path = join(configFolder, 'chowk');
  const log = join(configFolder, 'log');
  await writeFile(path, `#!/bin/sh\necho "$* $CHOWK_BACKGROUND_CHECK $SERVICE_NO_UPGRADE_CHECK" >> '${log}'\n`, {
    mode: 0o755,
  });
  const checkFile = join(configFolder, 'upgrade-check.json');
  if (file !== undefined) await writeFile(checkFile, typeof file === 'string' ? file : JSON.stringify(file));
  if (changes.config !== undefined) await writeFile(join(configFolder, 'config.json'), changes.config);
  const base = upgradeEnvironment({ path, configFolder });
  for (const output of [base.stdout, base.stderr]) output.isTerminal = true;
  if (changes.piped) base[changes.piped].isTerminal = false;
  const environment: Environment = {
    ...base,
    variables: changes.variables ?? {},
    build: { ...base.build, version: changes.version ?? '1.0.0' },
    now: () => new Date(now),
  };
  const readCheck = () => readCheckFile(configFolder);
  return { environment, stderr: base.stderr, stdout: base.stdout, log, checkFile, readCheck };
}

interface Changes {
  readonly options?: Record<string, string | boolean>;
  readonly version?: string;
  readonly variables?: Record<string, string>;
  readonly config?: string;
  readonly piped?: 'stdout' | 'stderr';
}

const news = "A new version of chowk is available: 1.0.0 → 1.1.0. Install it with 'chowk upgrade'.\n";
const known = { latest: '1.1.0', checked_at: ago(hour) };

test.each<[name: string, file: CheckFile | string | undefined, changes: Changes, nudge: string, checks: boolean]>([
  ['the first command looks for a version', undefined, {}, '', true],
  ['a result is used for a day', { latest: '1.0.0', checked_at: ago(24 * hour - 1) }, {}, '', false],
  ['a result is a day old', { latest: '1.0.0', checked_at: ago(24 * hour) }, {}, '', true],
  ['a newer version is known', known, {}, news, false],
  ['a newer version is known, for a day', { latest: '1.1.0', checked_at: ago(24 * hour) }, {}, news, true],
  ['the user was told less than six hours ago', { ...known, nudged_at: ago(6 * hour - 1) }, {}, '', false],
  ['quiet says nothing, and is no reminder', known, { options: { quiet: true } }, '', false],
  ['the user was told six hours ago', { ...known, nudged_at: ago(6 * hour) }, {}, news, false],
  ['a clock was wrong', { latest: '1.1.0', checked_at: ago(-hour), nudged_at: ago(-hour) }, {}, news, true],
  ['a check failed less than an hour ago', { attempted_at: ago(hour - 1) }, {}, '', false],
  ['a check failed an hour ago', { attempted_at: ago(hour) }, {}, '', true],
  ['the installed version is newer', known, { version: '1.2.0' }, '', false],
  ['the installed version is the latest', known, { version: '1.1.0' }, '', false],
  [
    'the installed version precedes the latest',
    known,
    { version: '1.1.0-beta.2' },
    news.replace('1.0.0', '1.1.0-beta.2'),
    false,
  ],
  [
    'the installed version is not supported',
    { ...known, min_supported: '1.0.1' },
    {},
    "chowk 1.0.0 is no longer supported: 1.0.0 → 1.1.0. Install it with 'chowk upgrade'.\n",
    false,
  ],
  ['a development build', known, { version: '0.0.0-dev' }, '', false],
  ['a development build that never checked', undefined, { version: '0.0.0-dev' }, '', false],
  ['SERVICE_NO_UPGRADE_CHECK=1', known, { variables: { SERVICE_NO_UPGRADE_CHECK: '1' } }, '', false],
  ['SERVICE_NO_UPGRADE_CHECK=1, never checked', undefined, { variables: { SERVICE_NO_UPGRADE_CHECK: '1' } }, '', false],
  ['SERVICE_NO_UPGRADE_CHECK=0', known, { variables: { SERVICE_NO_UPGRADE_CHECK: '0' } }, news, false],
  ['no_telemetry', known, { config: '{"no_telemetry":true}' }, '', false],
  ['no_telemetry, never checked', undefined, { config: '{"no_telemetry":true}' }, '', false],
  ['no_telemetry is off', known, { config: '{"no_telemetry":false}' }, news, false],
  ['the configuration is damaged', known, { config: '{' }, '', false],
  ['the output is piped', known, { piped: 'stdout' }, '', false],
  ['the output is piped, never checked', undefined, { piped: 'stdout' }, '', false],
  ['the errors are piped', known, { piped: 'stderr' }, '', false],
  ['the note is damaged', '{"latest":', {}, '', true],
  ['the note is a list', '[1]', {}, '', true],
  ['the note has other types', '{"latest":7,"checked_at":true,"nudged_at":{}}', {}, '', true],
  ['the note has terminal codes', { ...known, latest: '9.9.9\u001b[2J' }, {}, '', false],
])('%s', async (_, file, changes, nudge, checks) => {
  const { environment, stdout, stderr, readCheck } = await prepare(file, changes);
  const before = readCheck();
  startBackgroundCheck(environment, changes.options);
  expect(stderr.text).toBe(nudge);
  expect(stdout.text).toBe('');
  const after = readCheck();
  expect(after.attempted_at).toBe(checks ? ago(0) : before.attempted_at);
  expect(after.nudged_at).toEqual(nudge === '' ? before.nudged_at : ago(0));
  // The next command says nothing and starts nothing.
  startBackgroundCheck(environment, changes.options);
  expect(stderr.text).toBe(nudge);
});

test('another process looks for the version at the platform of the command, once', async () => {
  const { environment, log } = await prepare(undefined);
  startBackgroundCheck(environment, { 'api-url': 'https://chowk.example', tenant: 'acme', quiet: true });
  startBackgroundCheck(environment);
  const started = 'upgrade --check --api-url=https://chowk.example --tenant=acme 1 1\n';
  await expect.poll(() => readFile(log, 'utf8').catch(() => '')).toBe(started);
});

test('a folder that cannot be written, or a program that has gone, is silent', async () => {
  const { environment, stderr, checkFile } = await prepare(known);
  startBackgroundCheck({ ...environment, configFolder: join(checkFile, 'below') });
  startBackgroundCheck({ ...environment, executable: '/nowhere/chowk' });
  const never = await prepare(undefined);
  startBackgroundCheck({ ...never.environment, executable: '/nowhere/chowk' });
  expect([stderr.text, never.stderr.text]).toEqual(['', '']);
});

test('the process writes what it found; nothing if the network or the signature fails', async () => {
  const content = archive('1.1.0');
  const server = await serve(platformAnswers([[release('1.1.0', content), content]]));
  const { environment, readCheck, stdout, stderr } = await prepare(undefined);
  const run = (url: string) =>
    upgradeCommand.run(
      { ...environment, variables: { CHOWK_BACKGROUND_CHECK: '1', CHOWK_API_URL: url } },
      { arguments: [], options: { check: true } },
    );
  await expect(run('http://127.0.0.1:9')).rejects.toThrow();
  expect(readCheck()).toEqual({});
  await run(server.url);
  expect(readCheck()).toEqual({
    latest: '1.1.0',
    min_supported: '0.1.0',
    checked_at: ago(0),
    newest: { [server.url]: '1.1.0' },
  });
  expect(stdout.text).toBe('');
  startBackgroundCheck(environment);
  expect(stderr.text).toBe(news);
});

test('nobody is told of a new version right after an upgrade', async () => {
  const { environment, stderr } = await prepare({ ...known, nudged_at: ago(0), checked_at: ago(0) });
  startBackgroundCheck({ ...environment, now: () => new Date(now + minute) });
  expect(stderr.text).toBe('');
});
