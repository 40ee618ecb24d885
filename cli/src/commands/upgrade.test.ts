import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installProgram } from '../../testing/installed-program.ts';
import { archive, asset, program, release } from '../../testing/release-files.ts';
import { body, json, platformAnswers, releasesPath, serve, status } from '../../testing/release-server.ts';

const releases = ['1.1.0', '1.0.0', '0.9.0'].map((version) => {
  const content = archive(version);
  return [release(version, content), content] as const;
});

async function start(changes: object = {}) {
  const platform = await serve(platformAnswers(releases, changes));
  const installed = await installProgram({ apiUrl: platform.url });
  return { platform, installed };
}

test('replaces the program by the latest release, keeps the old one and returns to it', async () => {
  const { installed } = await start();
  const upgraded = await installed.upgrade();
  expect(upgraded).toMatchObject({ code: 0, errors: '' });
  expect(upgraded.output).toContain('Replaced chowk 1.0.0 by 1.1.0.');
  expect(await installed.version()).toBe('chowk 1.1.0');
  expect((await stat(installed.path)).mode & 0o777).toBe(0o755);
  expect(await installed.files()).toEqual(['chowk', 'chowk.previous']);
  expect(await installed.upgrade({ rollback: true })).toMatchObject({ code: 0, errors: '' });
  expect(await installed.version()).toBe('chowk 1.0.0');
  expect(await installed.upgrade({ rollback: true })).toMatchObject({ code: 0, errors: '' });
  expect(await installed.version()).toBe('chowk 1.1.0');
  expect(await installed.files()).toEqual(['chowk', 'chowk.previous']);
});

test('--check compares the versions, shows the notes and writes nothing', async () => {
  const { installed, platform } = await start();
  const { code, output } = await installed.upgrade({ check: true });
  expect(code).toBe(0);
  expect(output).toContain('Installed: 1.0.0\nLatest:    1.1.0 (2026-11-01)\n\n  What is new in 1.1.0.\n');
  expect(output).toContain("Install it with 'chowk upgrade'.");
  expect(JSON.parse((await installed.upgrade({ check: true, json: true })).output)).toMatchObject({
    current: '1.0.0',
    latest: '1.1.0',
    release: { version: '1.1.0', is_newer: true, is_signed: true },
  });
  expect(await installed.files()).toEqual(['chowk']);
  await expect(readFile(join(installed.environment.configFolder, 'upgrade-check.json'))).rejects.toThrow('ENOENT');
  expect(platform.requests.map(({ path }) => path)).toEqual([releasesPath, releasesPath]);
});

test('notes cannot send commands to the terminal', async () => {
  const content = archive('1.1.0');
  const hostile = release('1.1.0', content, {
    notes: 'Fine.\u001b[2J\u001b]0;owned\u0007',
    notes_url: '\u001b[31mred',
  });
  const platform = await serve(platformAnswers([[hostile, content]]));
  const installed = await installProgram({ apiUrl: platform.url });
  const { output } = await installed.upgrade({ check: true });
  expect(output).toContain('Fine.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('--dry-run downloads and verifies, and changes nothing', async () => {
  const { installed, platform } = await start();
  expect((await installed.upgrade({ 'dry-run': true })).output).toContain('is complete and verified');
  expect(platform.requests.map(({ path }) => path)).toContain('/files/chowk_1.1.0_linux_x64.tar.gz');
  expect(await installed.files()).toEqual(['chowk']);
  expect(await installed.version()).toBe('chowk 1.0.0');
});

test('an older version is installed with --target only', async () => {
  const { installed } = await start({ latest: '0.9.0' });
  expect(await installed.upgrade()).toMatchObject({
    code: 0,
    output: expect.stringContaining('newer than the latest'),
  });
  expect((await installed.upgrade({ force: true })).code).toBe(2);
  expect(await installed.version()).toBe('chowk 1.0.0');
  expect((await installed.upgrade({ target: '0.9.0' })).code).toBe(0);
  expect(await installed.version()).toBe('chowk 0.9.0');
});

test('--force installs the same version again', async () => {
  const { installed } = await start({ latest: '1.0.0' });
  await writeFile(installed.path, `${program('1.0.0')}# damaged\n`);
  expect((await installed.upgrade()).output).toBe('chowk 1.0.0 is the latest version.\n');
  expect((await installed.upgrade({ force: true })).code).toBe(0);
  expect(await readFile(installed.path)).toEqual(program('1.0.0'));
});

test('a development build is replaced with --force only', async () => {
  const { installed } = await start();
  const build = { ...installed.environment.build, version: '0.0.0-dev' };
  expect(await installed.upgrade({}, { build })).toMatchObject({ code: 1, errors: expect.stringContaining('--force') });
  expect((await installed.upgrade({ force: true }, { build })).code).toBe(0);
  expect(await installed.version()).toBe('chowk 1.1.0');
});

test('a program that is run from its sources is never overwritten', async () => {
  const { installed } = await start();
  const source = join(installed.folder, 'main.ts');
  await writeFile(source, 'the sources');
  const result = await installed.upgrade({ force: true }, { executable: source });
  expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('not an installed chowk') });
  expect(await readFile(source, 'utf8')).toBe('the sources');
});

test.each(['Cellar', 'homebrew', '.linuxbrew'])(
  'a program below /%s/ is refused, also through a link',
  async (name) => {
    const { installed } = await start();
    const folder = join(installed.folder, name);
    await mkdir(folder);
    await writeFile(join(folder, 'chowk'), program('1.0.0'), { mode: 0o755 });
    const executable = join(installed.folder, 'linked');
    await symlink(join(folder, 'chowk'), executable);
    for (const options of [{}, { 'dry-run': true }, { rollback: true }]) {
      expect(await installed.upgrade(options, { executable })).toMatchObject({
        code: 1,
        errors: expect.stringContaining('brew'),
      });
    }
    expect((await installed.upgrade({ 'allow-homebrew': true }, { executable })).code).toBe(0);
    expect(await readFile(executable)).toEqual(program('1.1.0'));
  },
);

test('a link to the program stays a link', async () => {
  const { installed } = await start();
  const executable = join(installed.environment.configFolder, 'linked');
  await symlink(installed.path, executable);
  expect((await installed.upgrade({}, { executable })).code).toBe(0);
  expect(await installed.version()).toBe('chowk 1.1.0');
  expect(await installed.files()).toEqual(['chowk', 'chowk.previous']);
});

test('a Windows program is moved aside to .old', async () => {
  const content = archive('1.1.0', 'windows');
  const windows = release('1.1.0', content, { assets: [asset('1.1.0', content, { os: 'windows' })] });
  const platform = await serve(platformAnswers([[windows, content]]));
  const installed = await installProgram({ apiUrl: platform.url });
  const machine = { platform: { os: 'win32', arch: 'x64' } };
  expect(await installed.upgrade({}, machine)).toMatchObject({ code: 0, errors: '' });
  expect(await installed.version()).toBe('chowk 1.1.0');
  expect(await installed.files()).toEqual(['chowk', 'chowk.old']);
  expect((await installed.upgrade({ rollback: true }, machine)).code).toBe(0);
  expect(await installed.version()).toBe('chowk 1.0.0');
});

test('of two upgrades at once one wins and the other says so', async () => {
  const { installed, platform } = await start();
  const path = '/files/chowk_1.1.0_linux_x64.tar.gz';
  const answer = platform.answers[path];
  let other: Awaited<ReturnType<typeof installed.upgrade>> | undefined;
  platform.answers[path] = async (response, headers) => {
    other ??= await installed.upgrade();
    answer?.(response, headers);
  };
  await installed.upgrade();
  expect(other).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`Another upgrade is running (process ${process.pid})`),
  });
  expect(await installed.version()).toBe('chowk 1.1.0');
  expect(await installed.files()).toEqual(['chowk', 'chowk.previous']);
});

test('the lock and the files of an upgrade that was killed are taken over and removed', async () => {
  const { installed } = await start();
  await writeFile(join(installed.folder, 'chowk.lock'), '2147483646');
  for (const name of ['.chowk.77.part', '.chowk.previous.77.part'])
    await writeFile(join(installed.folder, name), 'half');
  expect((await installed.upgrade()).code).toBe(0);
  expect(await installed.files()).toEqual(['chowk', 'chowk.previous']);
});

test.skipIf(process.getuid?.() === 0)(
  'a folder without write permission is an error of the file system (needs an ordinary user)',
  async () => {
    const { installed } = await start();
    await chmod(installed.folder, 0o555);
    const { code, errors } = await installed.upgrade();
    await chmod(installed.folder, 0o755);
    expect([code, errors]).toEqual([1, expect.stringContaining('sudo')]);
  },
);

test('--rollback without a kept version, with other options, and a wrong --target', async () => {
  const installed = await installProgram();
  expect(await installed.upgrade({ rollback: true })).toMatchObject({
    code: 1,
    errors: expect.stringContaining('--target'),
  });
  expect((await installed.upgrade({ rollback: true, check: true })).code).toBe(2);
  expect((await installed.upgrade({ target: 'newest' })).code).toBe(2);
});

test('an unsigned channel must be allowed, for once or in the configuration', async () => {
  const content = archive('1.1.0');
  const unsigned = { ...release('1.1.0', content), signatures: undefined };
  const platform = await serve(platformAnswers([[unsigned, content]]));
  const installed = await installProgram({ apiUrl: platform.url });
  expect(await installed.upgrade()).toMatchObject({ code: 6, errors: expect.stringContaining('--allow-unsigned') });
  const once = await installed.upgrade({ 'allow-unsigned': true, 'dry-run': true });
  expect(once).toMatchObject({ code: 0, errors: 'No known key has signed the release 1.1.0.\n' });
  const config = { api_url: platform.url, allow_unsigned_releases: true };
  await writeFile(join(installed.environment.configFolder, 'config.json'), JSON.stringify(config));
  expect((await installed.upgrade()).code).toBe(0);
  expect(await installed.version()).toBe('chowk 1.1.0');
});

test('a version that is no longer supported is warned of', async () => {
  const { installed } = await start({ min_supported: '1.0.1' });
  const { errors } = await installed.upgrade({ check: true });
  expect(errors).toMatch(/^chowk 1\.0\.0 is no longer supported; 127\.0\.0\.1:\d+ supports 1\.0\.1 and newer\.\n$/);
});

test('the token goes to the platform only, under the address of the configuration', async () => {
  const content = archive('1.1.0');
  const storage = await serve({ '/file': body(content) });
  const path = `${releasesPath}/1.1.0/download/chowk_1.1.0_linux_x64.tar.gz`;
  const url = `https://other-name.example${path}`;
  const own = release('1.1.0', content, { assets: [{ ...asset('1.1.0', content), url }] });
  const platform = await serve({
    ...platformAnswers([[own, content]]),
    [path]: status(302, { location: `${storage.url.replace('127.0.0.1', 'localhost')}/file` }),
  });
  const installed = await installProgram({ apiUrl: platform.url });
  const variables = { CHOWK_TOKEN: 'secret', CHOWK_TENANT: 'acme' };
  expect(await installed.upgrade({ 'dry-run': true }, { variables })).toMatchObject({ code: 0, errors: '' });
  const sent = platform.requests.map(({ path: requested, headers }) => [
    requested,
    headers.authorization,
    headers['x-tenant'],
  ]);
  expect(sent).toEqual([
    [releasesPath, 'Bearer secret', 'acme'],
    [path, 'Bearer secret', 'acme'],
  ]);
  expect(storage.requests.map(({ headers }) => [headers.authorization, headers['x-tenant']])).toEqual([
    [undefined, undefined],
  ]);
});

const gitlab = (url: string, links: readonly string[]) =>
  json([
    { tag_name: 'cli/v2.0.0-beta.1', released_at: '2026-11-02T00:00:00Z', assets: { links: [] } },
    {
      tag_name: 'cli/v1.1.0',
      released_at: '2026-11-01T00:00:00Z',
      description: 'Notes of GitLab.',
      assets: { links: links.map((name) => ({ name, url: `${url}/${name}` })) },
    },
  ]);
const list = '/projects/acme%2Fcli/releases?per_page=100';
const name = 'chowk_1.1.0_linux_x64.tar.gz';

/** A GitLab with the release 1.1.0, and the answers of its files. */
async function startMirror(links = [name, 'SHA256SUMS.txt', 'MANIFEST.json']) {
  const [[own, content]] = releases as unknown as [(typeof releases)[number]];
  const mirror = await serve();
  Object.assign(mirror.answers, {
    [list]: gitlab(mirror.url, links),
    [`/${name}`]: body(content),
    '/SHA256SUMS.txt': body(`${own.assets[0]?.sha256}  ${name}\n`),
    '/MANIFEST.json': json({
      schema_version: 1,
      channel: 'stable',
      latest: '1.1.0',
      min_supported: '1.0.0',
      releases: [own],
    }),
  });
  return mirror;
}

test.each([401, 404, 405])('the mirror is used if the platform answers %s', async (code) => {
  const mirror = await startMirror();
  const platform = await serve({ [releasesPath]: status(code) });
  const installed = await installProgram({ apiUrl: platform.url, mirrorUrl: mirror.url });
  expect(await installed.upgrade()).toMatchObject({ code: 0, errors: '' });
  expect(await installed.version()).toBe('chowk 1.1.0');
});

test('the mirror is used without any configuration, but not if a configured platform is not reachable', async () => {
  const mirror = await startMirror();
  const unconfigured = await installProgram({ mirrorUrl: mirror.url });
  expect((await unconfigured.upgrade({ check: true })).output).toContain('Notes of GitLab.');
  const installed = await installProgram({ apiUrl: 'http://127.0.0.1:9', mirrorUrl: mirror.url });
  expect((await installed.upgrade()).code).toBe(5);
});

test('the digests of the mirror are those of SHA256SUMS.txt, which must agree with the signed manifest', async () => {
  const mirror = await startMirror();
  mirror.answers['/SHA256SUMS.txt'] = body(`${'0'.repeat(64)}  ${name}\n`);
  const installed = await installProgram({ mirrorUrl: mirror.url });
  expect(await installed.upgrade()).toMatchObject({ code: 6, errors: expect.stringContaining('SHA256SUMS.txt') });
  const unsigned = await startMirror([name, 'SHA256SUMS.txt']);
  const other = await installProgram({ mirrorUrl: unsigned.url });
  expect((await other.upgrade()).code).toBe(6);
  expect((await other.upgrade({ 'allow-unsigned': true })).code).toBe(0);
  const bare = await startMirror([name]);
  const third = await installProgram({ mirrorUrl: bare.url });
  expect(await third.upgrade({ 'allow-unsigned': true })).toMatchObject({
    code: 6,
    errors: expect.stringContaining('no digest'),
  });
});
