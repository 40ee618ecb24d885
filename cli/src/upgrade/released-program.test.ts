import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishFolder } from '../../../modules/releases/publish.ts';
import { signingKey } from '../../../modules/releases/signature.ts';
import { type AccountsPlatform, type Person, startAccounts } from '../../../server/testing/accounts.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { buildRelease } from '../../release/build-release.ts';
import { hostTarget } from '../../release/targets.ts';
import { publicReleaseKey, releaseKey } from '../../testing/release-files.ts';
import { type Answer, body, json, type ReleaseServer, startServer } from '../../testing/release-server.ts';
import { hasBun } from '../../testing/require-bun.ts';
import { extractFile } from './archive.ts';
import { readCheckFile } from './check-file.ts';
import { assetName } from './manifest.ts';

const run = promisify(execFile);
const [os = '', arch = ''] = hostTarget().split('-');
const versions = ['1.0.0', '1.1.0'] as const;

describe.skipIf(!hasBun)('a released program', () => {
  let folder: string;
  /** A GitLab with the release 1.1.0, and the files of the static channel. */
  let files: ReleaseServer;
  let platform: AccountsPlatform;
  let apiUrl: string;
  let tenant: TestTenant;
  let person: Person;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chowk-released-'));
    files = await startServer();
    for (const version of versions) await build(version);
    const options = { channel: 'stable', minSupported: undefined, notes: '', notesUrl: '', now: new Date() };
    await publishFolder(join(folder, 'releases'), { ...options, keys: [signingKey(releaseKey)] });
    await serveFiles();
    platform = await startAccounts({
      environment: {
        OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
        CLI_RELEASES_DEFAULT_ADAPTER: 'static',
        CLI_RELEASES_STATIC_MANIFEST_URL: `${files.url}/MANIFEST.json`,
      },
    });
    await platform.app.listen({ host: '127.0.0.1', port: 0 });
    apiUrl = `http://127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`;
    tenant = await platform.tenant();
    person = await platform.person({ tenant });
  }, 600_000);
  afterAll(async () => {
    await files.stop();
    await rm(folder, { recursive: true });
  });

  async function build(version: string): Promise<void> {
    const releases = join(folder, 'releases');
    await mkdir(releases, { recursive: true });
    await buildRelease({
      version,
      targets: [hostTarget()],
      folder: releases,
      time: new Date('2026-11-01T09:00:00Z'),
      mirror: { apiBaseUrl: `${files.url}/api/v4`, projectPath: 'acme/cli' },
      releaseKeys: [publicReleaseKey],
      signingKey: releaseKey,
      minSupported: '1.0.0',
      notes: '',
      notesUrl: '',
      level: 1,
    });
    const filename = assetName(version, os, arch);
    const archive = await readFile(join(releases, filename));
    const content = await extractFile(archive, { archiveName: filename, filename: 'chowk', maxBytes: 500_000_000 });
    await writeFile(join(folder, `chowk-${version}`), content, { mode: 0o755 });
    await cp(join(releases, 'MANIFEST.json'), join(folder, `MANIFEST-${version}.json`));
    await cp(join(releases, 'SHA256SUMS.txt'), join(folder, `SHA256SUMS-${version}.txt`));
  }

  async function serveFiles(): Promise<void> {
    for (const name of await readdir(join(folder, 'releases'))) {
      files.answers[`/${name}`] = body(await readFile(join(folder, 'releases', name)));
    }
    const filename = assetName('1.1.0', os, arch);
    for (const name of ['MANIFEST-1.1.0.json', 'SHA256SUMS-1.1.0.txt']) {
      files.answers[`/${name}`] = body(await readFile(join(folder, name)));
    }
    const links = [
      { name: filename, url: `${files.url}/${filename}` },
      { name: 'MANIFEST.json', url: `${files.url}/MANIFEST-1.1.0.json` },
      { name: 'SHA256SUMS.txt', url: `${files.url}/SHA256SUMS-1.1.0.txt` },
    ];
    const release = { tag_name: 'cli/v1.1.0', released_at: '2026-11-01T09:00:00Z', description: '', assets: { links } };
    files.answers['/api/v4/projects/acme%2Fcli/releases?per_page=100'] = json([release]);
  }

  /** The program 1.0.0 in a folder of its own, with the session of a user or without. */
  async function install({ isSignedIn = true } = {}) {
    const home = await mkdtemp(join(folder, 'home-'));
    const program = join(home, 'bin/chowk');
    await mkdir(dirname(program));
    await cp(join(folder, 'chowk-1.0.0'), program);
    await chmod(program, 0o755);
    const config = join(home, 'config');
    await mkdir(config);
    await writeFile(join(config, 'config.json'), JSON.stringify({ api_url: apiUrl, tenants: { [apiUrl]: tenant.id } }));
    const { accessToken, refreshToken } = person;
    if (isSignedIn)
      await writeFile(join(config, 'tokens.json'), JSON.stringify({ [apiUrl]: { accessToken, refreshToken } }));
    const env = { PATH: process.env.PATH, CHOWK_CONFIG_DIR: config, TERM: 'xterm' };
    const start = (...args: string[]) => spawn(program, args, { env, stdio: 'pipe' });
    return { home, program, config, env, start, chowk: (...args: string[]) => finish(start(...args)) };
  }

  async function finish(child: ChildProcess) {
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (data) => (texts[name] += data));
    const [code, signal] = await once(child, 'close');
    return { code: code as number | null, signal: signal as string | null, ...texts };
  }

  const listFiles = (program: string) => readdir(dirname(program)).then((names) => names.sort());

  test('upgrades itself from a platform, and returns', async () => {
    const { program, chowk } = await install();
    expect(await chowk('version')).toMatchObject({ code: 0, stdout: 'chowk 1.0.0\n' });
    files.requests.length = 0;
    expect(await chowk('upgrade')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('by 1.1.0') });
    // The platform has read the manifest for it, and has redirected it to the file.
    expect(files.requests.map(({ path }) => path)).toEqual(['/MANIFEST.json', `/${assetName('1.1.0', os, arch)}`]);
    expect(files.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    expect(await chowk('version')).toMatchObject({ code: 0, stdout: 'chowk 1.1.0\n' });
    expect((await readFile(program)).equals(await readFile(join(folder, 'chowk-1.1.0')))).toBe(true);
    expect(await listFiles(program)).toEqual(['chowk', 'chowk.previous']);
    expect(await chowk('upgrade')).toMatchObject({ code: 0, stdout: 'chowk 1.1.0 is the latest version.\n' });
    expect(await chowk('upgrade', '--rollback')).toMatchObject({ code: 0, stderr: '' });
    expect(await chowk('version')).toMatchObject({ stdout: 'chowk 1.0.0\n' });
  });

  test('upgrades itself from the mirror if nobody is signed in', async () => {
    const { program, chowk } = await install({ isSignedIn: false });
    files.requests.length = 0;
    expect(await chowk('upgrade')).toMatchObject({ code: 0, stderr: '' });
    expect(files.requests.map(({ path }) => path)).toContain('/api/v4/projects/acme%2Fcli/releases?per_page=100');
    expect(await chowk('version')).toMatchObject({ stdout: 'chowk 1.1.0\n' });
    expect(await listFiles(program)).toEqual(['chowk', 'chowk.previous']);
  });

  /** Serves the file of the release otherwise while the function runs. */
  async function withDownload(answer: (content: Buffer) => Answer, run: () => Promise<void>): Promise<void> {
    const path = `/${assetName('1.1.0', os, arch)}`;
    const before = files.answers[path] as Answer;
    files.answers[path] = answer(await readFile(join(folder, 'releases', path)));
    try {
      await run();
    } finally {
      files.answers[path] = before;
    }
  }

  test('refuses a file that was changed on the way', async () => {
    const { program, chowk } = await install();
    const changed = (content: Buffer) => {
      content.writeUInt8(~content.readUInt8(content.length - 1_000) & 0xff, content.length - 1_000);
      return body(content);
    };
    await withDownload(changed, async () => {
      expect(await chowk('upgrade')).toMatchObject({ code: 6, stderr: expect.stringContaining('digest') });
    });
    expect(await chowk('version')).toMatchObject({ stdout: 'chowk 1.0.0\n' });
    expect(await listFiles(program)).toEqual(['chowk']);
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const { program, start, chowk } = await install();
    const half = (content: Buffer) => (response: ServerResponse) =>
      void response.writeHead(200).write(content.subarray(0, content.length / 2));
    await withDownload(half, async () => {
      const child = start('upgrade');
      const result = finish(child);
      await expect.poll(() => listFiles(program)).toContain('chowk.lock');
      child.kill('SIGINT');
      expect(await result).toMatchObject({ code: 130 });
    });
    expect(await listFiles(program)).toEqual(['chowk']);
    expect(await chowk('version')).toMatchObject({ stdout: 'chowk 1.0.0\n' });
  });

  test('killed at any time, it is a whole program', async () => {
    const { program, start, chowk } = await install();
    const startedAt = Date.now();
    expect((await chowk('upgrade')).code).toBe(0);
    const duration = Date.now() - startedAt;
    for (const share of [0.4, 0.6, 0.8, 0.95]) {
      await cp(join(folder, 'chowk-1.0.0'), program, { force: true });
      const child = start('upgrade');
      const result = finish(child);
      await pause(duration * share);
      child.kill('SIGKILL');
      await result;
      expect((await run(program, ['version'])).stdout, `at ${share}`).toMatch(/^chowk 1\.[01]\.0\n$/);
    }
    expect(await chowk('upgrade', '--force')).toMatchObject({ code: 0 });
    expect(await listFiles(program)).toEqual(['chowk', 'chowk.previous']);
  });

  const hasScript =
    process.platform === 'linux' && process.env.PATH?.split(':').some((one) => existsSync(join(one, 'script')));
  test.skipIf(!hasScript)(
    'on a terminal it looks for a new version in the background, and says so the next time',
    async () => {
      const { program, env, config } = await install();
      const onTerminal = async () =>
        (await run('script', ['-qec', `'${program}' version`, '/dev/null'], { env })).stdout;
      expect(await onTerminal()).toBe('chowk 1.0.0\r\n');
      await expect.poll(() => readCheckFile(config).latest).toBe('1.1.0');
      expect(await onTerminal()).toBe(
        "chowk 1.0.0\r\nA new version of chowk is available: 1.0.0 → 1.1.0. Install it with 'chowk upgrade'.\r\n",
      );
      expect(await onTerminal()).toBe('chowk 1.0.0\r\n');
    },
  );
});
