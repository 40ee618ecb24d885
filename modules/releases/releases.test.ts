import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@chowk/kit';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { createKey, readKeys } from './key-files.ts';
import { publishFolder } from './publish.ts';
import { signedText } from './signature.ts';

type Answer = (response: ServerResponse, headers: IncomingHttpHeaders) => void;

const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
let answers: Record<string, Answer> = {};
const source = createServer((request, response) => {
  const path = request.url ?? '';
  requests.push({ path, headers: request.headers });
  const answer = answers[path];
  if (answer) answer(response, request.headers);
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
await once(source, 'listening');
afterAll(() => source.close());
const origin = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;

let now = Date.parse('2026-11-01T10:00:00Z');
const platform = await startAccounts({
  environment: {
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost',
    CLI_RELEASES_GITLAB_PROJECT: 'acme/cli',
    CLI_RELEASES_GITLAB_API_URL: `${origin}/api/v4`,
    CLI_RELEASES_GITLAB_TOKEN: 'operator-token',
  },
  now: () => new Date(now),
});
const reseller = await platform.tenant({ role: 'reseller' });
const admin = await platform.person({ tenant: reseller });
const merchant = await platform.person({ tenant: await platform.tenant() });

beforeEach(() => {
  requests.length = 0;
  answers = {};
});

const archive = Buffer.from('an archive');
const sha256 = createHash('sha256').update(archive).digest('hex');

function manifest(change: object = {}) {
  return {
    schema_version: 1,
    channel: 'stable',
    latest: '1.2.0',
    min_supported: '1.0.0',
    releases: [
      { version: '1.0.0', released_at: '2026-10-01T00:00:00Z', notes: 'First.', notes_url: '', assets: [] },
      {
        version: '1.2.0',
        released_at: '2026-11-01T00:00:00Z',
        notes: '**More** commands.',
        notes_url: 'https://releases.example/1.2.0',
        assets: [
          { os: 'linux', arch: 'x64', url: 'files/linux.tar.gz', sha256, size: archive.length },
          { os: 'windows', arch: 'x64', url: `${origin}/windows.zip`, sha256 },
        ],
        internal: 'is dropped',
      },
    ],
    ...change,
  };
}

const json =
  (body: unknown, headers = {}): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code).end('no');

/** A channel of its own for the reseller, at an address that no other test uses. */
let channels = 0;
async function staticChannel(answer: Answer): Promise<string> {
  channels += 1;
  const path = `/channel-${channels}/MANIFEST.json`;
  answers[path] = answer;
  const { status: code } = await admin.put('/api/v1/cli/channel', {
    adapter: 'static',
    config: { manifest_url: `${origin}${path}` },
  });
  expect(code).toBe(200);
  return path;
}

/** Past the time for which a source is not asked again. */
function waitUntilNotFresh(): void {
  now += 61_000;
}

describe('a static channel', () => {
  test('answers with the validated manifest, the newest release first, with file names and own addresses', async () => {
    await staticChannel(json(manifest()));
    const { status: code, body } = await admin.get('/api/v1/cli/releases');
    expect(code).toBe(200);
    expect(body).toMatchObject({ schema_version: 1, channel: 'stable', latest: '1.2.0', min_supported: '1.0.0' });
    expect(body.releases.map(({ version }: { version: string }) => version)).toEqual(['1.2.0', '1.0.0']);
    const url = (name: string) => `${platform.kernel.config.appUrl}/api/v1/cli/releases/1.2.0/download/${name}`;
    const names = ['chowk_1.2.0_linux_x64.tar.gz', 'chowk_1.2.0_windows_x64.zip'] as const;
    expect(body.releases[0].assets).toEqual([
      { os: 'linux', arch: 'x64', url: url(names[0]), sha256, size: archive.length, filename: names[0] },
      { os: 'windows', arch: 'x64', url: url(names[1]), sha256, filename: names[1] },
    ]);
    expect(body.releases[0]).not.toHaveProperty('internal');
  });

  test('redirects downloads to the address in the manifest', async () => {
    const path = await staticChannel(json(manifest()));
    const linux = await admin.get('/api/v1/cli/releases/1.2.0/download/chowk_1.2.0_linux_x64.tar.gz');
    expect(linux.status).toBe(302);
    expect(linux.headers['location']).toBe(`${origin}${path.replace('MANIFEST.json', 'files/linux.tar.gz')}`);
    const unknown = ['/1.2.0/download/other.zip', '/9.9.9/download/chowk_9.9.9_linux_x64.tar.gz'];
    for (const one of unknown) expect((await admin.get(`/api/v1/cli/releases${one}`)).status).toBe(404);
    for (const one of ['/1.2.0/download/..%2F..%2Fetc', '/..%2F/download/a.zip', '/1.2.0/download/%00']) {
      expect((await admin.get(`/api/v1/cli/releases${one}`)).status).toBe(422);
    }
  });

  test('never redirects to an address that the server would not visit', async () => {
    const bad = manifest();
    for (const url of ['http://10.0.0.1/a.tar.gz', 'ftp://releases.example/a', 'https://169.254.169.254/latest']) {
      (bad.releases[1] as { assets: object[] }).assets = [{ os: 'linux', arch: 'x64', url, sha256 }];
      await staticChannel(json(bad));
      const { status: code, headers } = await admin.get(
        '/api/v1/cli/releases/1.2.0/download/chowk_1.2.0_linux_x64.tar.gz',
      );
      expect([code, headers['location']], url).toEqual([502, undefined]);
    }
  });

  test.each<[string, Answer]>([
    ['is not JSON', (response) => void response.end('<html>')],
    ['has another schema version', json(manifest({ schema_version: 2 }))],
    ['has a latest that is no version', json(manifest({ latest: 'newest' }))],
    ['lists no releases', json({ ...manifest(), releases: undefined })],
    ['is absent', status(404)],
    ['fails', status(500)],
    ['is not reachable', (response) => void response.destroy()],
  ])('a manifest that %s is 502 and says why', async (_, answer) => {
    await staticChannel(answer);
    const { status: code, body } = await admin.get('/api/v1/cli/releases');
    expect(code).toBe(502);
    expect(body.message).toMatch(/^The source of the releases cannot be used: ./);
  });

  test('while the source fails, the last valid manifest is served with its age; then the new one', async () => {
    const path = await staticChannel(json(manifest(), { etag: '"a"' }));
    const first = await admin.get('/api/v1/cli/releases');
    expect(first.headers['age']).toBeUndefined();
    waitUntilNotFresh();
    answers[path] = status(503);
    const stale = await admin.get('/api/v1/cli/releases');
    expect(stale).toMatchObject({ status: 200, body: first.body });
    expect(Number(stale.headers['age'])).toBeGreaterThanOrEqual(61);
    waitUntilNotFresh();
    answers[path] = (response, headers) =>
      void response.writeHead(headers['if-none-match'] === '"a"' ? 304 : 500).end();
    const confirmed = await admin.get('/api/v1/cli/releases');
    expect(confirmed).toMatchObject({ status: 200, body: first.body });
    expect(confirmed.headers['age']).toBeUndefined();
    waitUntilNotFresh();
    answers[path] = json(manifest({ latest: '1.0.0' }));
    expect((await admin.get('/api/v1/cli/releases')).body.latest).toBe('1.0.0');
  });

  test('the source is asked once by many callers at the same time, and not again within a minute', async () => {
    await staticChannel(json(manifest()));
    const all = await Promise.all(Array.from({ length: 10 }, () => admin.get('/api/v1/cli/releases')));
    await admin.get('/api/v1/cli/releases');
    expect(all.map(({ status: code }) => code)).toEqual(Array(10).fill(200));
    expect(requests).toHaveLength(1);
  });
});

describe('the GitLab channel of the platform', () => {
  const list = '/api/v4/projects/acme%2Fcli/releases?per_page=100';
  const asset = '/api/v4/projects/acme%2Fcli/packages/generic/chowk/1.3.0/chowk_1.3.0_linux_x64.tar.gz';
  const name = 'chowk_1.3.0_linux_x64.tar.gz';

  function serveGitlab(links: { name: string; url: string }[], version = '1.3.0'): void {
    answers[list] = json([
      {
        tag_name: 'v9.9.9',
        released_at: '2026-11-02T00:00:00Z',
        description: 'of something else',
        assets: { links: [] },
      },
      {
        tag_name: `cli/v${version}`,
        released_at: '2026-11-02T00:00:00Z',
        description: 'Notes.',
        _links: { self: 'https://gitlab.example/acme/cli/-/releases/1.3.0' },
        assets: { links },
      },
    ]);
  }

  test('lists the releases with a tag of the client, with the digests of SHA256SUMS.txt', async () => {
    waitUntilNotFresh();
    serveGitlab([
      { name, url: `${origin}${asset}` },
      { name: 'SHA256SUMS.txt', url: `${origin}/sums` },
      { name: 'README.md', url: `${origin}/readme` },
    ]);
    answers['/sums'] = (response) => void response.end(`${sha256}  ${name}\n`);
    const { status: code, body } = await merchant.get('/api/v1/cli/releases');
    expect(code).toBe(200);
    expect(body.latest).toBe('1.3.0');
    expect(body.releases).toMatchObject([{ version: '1.3.0', notes: 'Notes.', assets: [{ filename: name, sha256 }] }]);
    expect(JSON.stringify(body)).not.toContain(origin);
  });

  test('streams a file with the token of the operator, which no other host gets', async () => {
    waitUntilNotFresh();
    serveGitlab([
      { name, url: `${origin}${asset}` },
      { name: 'chowk_1.3.0_linux_arm64.tar.gz', url: `${origin.replace('127.0.0.1', 'localhost')}/elsewhere` },
    ]);
    answers[asset] = (response) => void response.end(archive);
    answers['/elsewhere'] = (response) => void response.end(archive);
    const download = await merchant.get(`/api/v1/cli/releases/1.3.0/download/${name}`);
    expect(download.status).toBe(200);
    expect(download.headers['content-disposition']).toBe(`attachment; filename="${name}"`);
    expect(download.body).toBe('an archive');
    await merchant.get('/api/v1/cli/releases/1.3.0/download/chowk_1.3.0_linux_arm64.tar.gz');
    const tokens = requests.map(({ path, headers }) => [path, headers['private-token']]);
    expect(tokens).toContainEqual([asset, 'operator-token']);
    expect(tokens).toContainEqual(['/elsewhere', undefined]);
    expect(JSON.stringify(download.headers)).not.toContain('operator-token');
  });

  test('a file that the source refuses is 502', async () => {
    waitUntilNotFresh();
    serveGitlab([{ name, url: `${origin}${asset}` }]);
    answers[asset] = status(403);
    const { status: code, body } = await merchant.get(`/api/v1/cli/releases/1.3.0/download/${name}`);
    expect(code).toBe(502);
    expect(body.message).toContain('answered 403');
  });

  test('a tenant with a GitLab of its own never gets the token of the operator', async () => {
    const config = { project: 'ours/cli', api_url: `${origin}/api/v4` };
    const { status: code } = await admin.put('/api/v1/cli/channel', { adapter: 'gitlab', config });
    expect(code).toBe(200);
    answers['/api/v4/projects/ours%2Fcli/releases?per_page=100'] = json([]);
    expect((await admin.get('/api/v1/cli/releases')).status).toBe(502);
    expect(requests.map(({ headers }) => headers['private-token'])).toEqual([undefined]);
  });
});

describe('the channel of a tenant', () => {
  test('is shown without its token, stored encrypted and removed', async () => {
    const config = { project: 'ours/cli', api_url: `${origin}/api/v4`, token: 'glpat-tenant' };
    const saved = await admin.put('/api/v1/cli/channel', { adapter: 'gitlab', config });
    const shown = {
      adapter: 'gitlab',
      is_default: false,
      config: { project: 'ours/cli', api_url: `${origin}/api/v4` },
    };
    expect(saved).toMatchObject({ status: 200, body: { message: 'Release channel saved.', channel: shown } });
    expect(JSON.stringify(saved.body)).not.toContain('glpat-tenant');
    expect((await admin.get('/api/v1/cli/channel')).body).toEqual({ channel: shown });
    const row = await platform.kernel.central.db.row<{ text: string }>(
      sql`SELECT c::text AS text FROM release_channels c WHERE tenant_id = ${reseller.id}`,
    );
    expect(row?.text).not.toMatch(/glpat|ours/);
    expect((await admin.delete('/api/v1/cli/channel')).status).toBe(200);
    expect((await admin.get('/api/v1/cli/channel')).body.channel.is_default).toBe(true);
  });

  test('its configuration is checked, all problems at once', async () => {
    const put = async (adapter: string, config: object) =>
      (await admin.put('/api/v1/cli/channel', { adapter, config })).body.errors;
    expect(Object.keys(await put('gitlab', {}))).toEqual(['config.project', 'config.api_url']);
    expect(Object.keys(await put('s3', { bucket: 'A', region: 'eu', manifest_key: '' }))).toEqual([
      'config.bucket',
      'config.manifest_key',
    ]);
    for (const manifest_url of [
      'http://releases.example/m.json',
      'https://10.0.0.1/m',
      'https://user:a@b.example',
      'x',
    ]) {
      expect(await put('static', { manifest_url }), manifest_url).toHaveProperty(['config.manifest_url']);
    }
    expect(Object.keys(await put('ftp', { manifest_url: 'https://a.example' }))).toEqual(['adapter']);
  });

  test('only admins of resellers and of the platform change it, and others get the one of the platform', async () => {
    const channel = { adapter: 'static', config: { manifest_url: `${origin}/x` } };
    expect((await merchant.put('/api/v1/cli/channel', channel)).status).toBe(403);
    const viewer = await platform.person({ tenant: reseller, role: 'Viewer' });
    expect((await viewer.put('/api/v1/cli/channel', channel)).status).toBe(403);
    expect((await viewer.get('/api/v1/cli/channel')).status).toBe(200);
    const anonymous = await platform.request({ url: '/api/v1/cli/releases' });
    expect(anonymous.status).toBe(401);
  });
});

describe('publishing', () => {
  test('a folder of archives gets a signed manifest; releases of before stay and are signed with new keys too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chowk-releases-'));
    const { services: system } = platform.kernel;
    const first = await createKey(system);
    expect((await stat(first.file)).mode & 0o777).toBe(0o600);
    const options = { channel: 'stable', minSupported: undefined, notes: 'Notes.', notesUrl: '', now: new Date(now) };
    await writeFile(join(folder, 'chowk_1.0.0_linux_x64.tar.gz'), archive);
    await publishFolder(folder, { ...options, keys: [first] });
    await createKey(system);
    await writeFile(join(folder, 'chowk_1.1.0_windows_x64.zip'), archive);
    await writeFile(join(folder, 'notes.txt'), 'ignored');
    const keys = await readKeys(system);
    const published = await publishFolder(folder, { ...options, now: new Date(now + 1_000), keys });
    expect(published).toEqual(JSON.parse(await readFile(join(folder, 'MANIFEST.json'), 'utf8')));
    expect(published).toMatchObject({ latest: '1.1.0', min_supported: '1.0.0' });
    expect(published.releases.map(({ version, released_at }) => [version, released_at])).toEqual([
      ['1.1.0', new Date(now + 1_000).toISOString()],
      ['1.0.0', new Date(now).toISOString()],
    ]);
    for (const release of published.releases) {
      expect(release.signatures?.map(({ key }) => key)).toEqual(keys.map(({ id }) => id));
      for (const [index, { signature }] of (release.signatures ?? []).entries()) {
        const publicKey = createPublicKey(keys[index]?.privateKey as never);
        const isValid = (text: string) => verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64'));
        expect(isValid(signedText(release))).toBe(true);
        const changed = { ...release, assets: release.assets.map((asset) => ({ ...asset, sha256: '0'.repeat(64) })) };
        expect(isValid(signedText(changed))).toBe(false);
      }
    }
    expect(await readFile(join(folder, 'SHA256SUMS.txt'), 'utf8')).toBe(
      `${sha256}  chowk_1.1.0_windows_x64.zip\n${sha256}  chowk_1.0.0_linux_x64.tar.gz\n`,
    );
  });
});
