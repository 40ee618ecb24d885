import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testing/chowkd.ts';
import { testConfig } from '../../testing/test-config.ts';
import { packageBytes } from '../../testing/zip.ts';
import { httpRegistry } from './http-registry.ts';
import { installPackage } from './install-package.ts';
import { publishPackage } from './publish-package.ts';
import { readPrivateKey } from './signature.ts';

const id = { alias: 'notes', version: '1.0.0' };
const warn = () => {};
const token = 'glpat-secret';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server like the generic package registry of GitLab. \`answer\` replaces its responses to GET. */
async function startGitlab(answer?: Answer) {
  const files = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const path = request.url ?? '';
    if (request.headers['private-token'] !== token)
      return response.writeHead(401).end('{"message":"401 Unauthorized"}');
    if (!path.startsWith('/api/v4/projects/12/packages/generic/')) return response.writeHead(404).end();
    if (request.method === 'PUT') {
      files.set(path, body);
      return response.writeHead(201).end('{"message":"201 Created"}');
    }
    if (answer) return answer(request, response);
    const file = files.get(path);
    return file ? response.end(file) : response.writeHead(404).end('{"message":"404 Not found"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { files, url: `http://127.0.0.1:${port}/api/v4/projects/12/packages/generic` };
}

async function writeZip(content?: Parameters<typeof packageBytes>[0]): Promise<string> {
  const zip = join(await temporaryFolder(), 'Notes.zip');
  await writeFile(zip, packageBytes(content));
  return zip;
}

async function configWith(environment: Record<string, string>) {
  return testConfig({ STORAGE_PATH: await temporaryFolder(), MODULE_REGISTRY_TOKEN: token, ...environment });
}

test.each(['GitLab', 'folder'])('a package is published and installed through a %s registry', async (kind) => {
  const gitlab = await startGitlab();
  const config = await configWith(kind === 'GitLab' ? { MODULE_REGISTRY_URL: gitlab.url } : {});
  const zip = await writeZip();
  expect(await publishPackage(config, zip, undefined)).toMatchObject({
    ...id,
    file: 'ShopNotes-1.0.0.zip',
    signed: false,
  });
  if (kind === 'GitLab') {
    expect([...gitlab.files.keys()].map((path) => path.split('/generic/')[1])).toEqual([
      'notes/1.0.0/ShopNotes-1.0.0.zip',
      'notes/1.0.0/module.json',
    ]);
  } else {
    expect(await readdir(join(config.moduleRegistryPath, 'notes/1.0.0'))).toEqual([
      'ShopNotes-1.0.0.zip',
      'module.json',
    ]);
  }
  const integrity = await installPackage(config, id, { warn });
  expect(integrity).toMatch(/^sha256-/);
  expect(await readdir(join(config.modulesPath, 'notes/1.0.0'))).toEqual(['migrations', 'module.js', 'module.json']);
  expect(await readdir(config.modulesPath)).toEqual(['notes']);
  expect(await installPackage(config, id, { integrity, warn })).toBe(integrity);

  await publishPackage(config, zip, undefined);
  const other = await writeZip({ 'module.js': 'export const module = { changed: true };' });
  await expect(publishPackage(config, other, undefined)).rejects.toThrow(/publish the change as a new version/);
});

test('without a manifest in the registry, the name of the file is that of the alias', async () => {
  const gitlab = await startGitlab();
  const config = await configWith({ MODULE_REGISTRY_URL: gitlab.url });
  const zip = packageBytes({ alias: 'shop-notes' });
  gitlab.files.set('/api/v4/projects/12/packages/generic/shop-notes/1.0.0/ShopNotes-1.0.0.zip', zip);
  await installPackage(config, { alias: 'shop-notes', version: '1.0.0' }, { warn });
  expect(await readdir(join(config.modulesPath, 'shop-notes'))).toEqual(['1.0.0']);
});

const bytes = packageBytes();
const failures: [string, Answer, RegExp][] = [
  [
    'a missing package',
    (_, response) => response.writeHead(404).end(),
    /there is no notes@1\.0\.0 in the module registry/,
  ],
  ['an internal error', (_, response) => response.writeHead(500).end(), /answered 500 for .*\/notes\/1\.0\.0\//],
  [
    'a truncated response',
    ({ url }, response) => {
      if (!url?.endsWith('.zip')) return response.writeHead(404).end();
      response.writeHead(200, { 'content-length': bytes.length });
      return response.write(bytes.subarray(0, 100), () => response.destroy());
    },
    /127\.0\.0\.1:\d+/,
  ],
  [
    'a response that is cut off without an error',
    ({ url }, response) => {
      return url?.endsWith('.zip') ? response.end(bytes.subarray(0, -50)) : response.writeHead(404).end();
    },
    /the package notes@1\.0\.0 cannot be used: it is truncated/,
  ],
  [
    'a redirect to a private host',
    (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/secret' }).end(),
    /https/,
  ],
  [
    'an endless response',
    (_, response) => {
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1_048_576)));
      };
      response.on('drain', send);
      send();
    },
    /larger|too large|exceeds|limit/,
  ],
];

test.each(failures)('%s is a clear error and installs nothing', async (_, answer, message) => {
  const { url } = await startGitlab(answer);
  const config = await configWith({ MODULE_REGISTRY_URL: url });
  await expect(installPackage(config, id, { warn })).rejects.toThrow(message);
  await expect(readdir(config.modulesPath).catch(() => [])).resolves.toEqual([]);
});

test('a wrong token is named, and not shown', async () => {
  const { url } = await startGitlab();
  const config = await configWith({ MODULE_REGISTRY_URL: url, MODULE_REGISTRY_TOKEN: 'wrong-token' });
  const problem = await installPackage(config, id, { warn }).catch(({ message }: Error) => message);
  expect(problem).toMatch(/answered 401 for .*; check MODULE_REGISTRY_TOKEN/);
  expect(problem).not.toContain('wrong-token');
  await expect(publishPackage(config, await writeZip(), undefined)).rejects.toThrow(/answered 401/);
});

test('a registry that does not answer is given up', async () => {
  const { url } = await startGitlab(() => {});
  const registry = httpRegistry({ url, token, allowedHosts: [], timeoutMs: 200 });
  await expect(registry.read(id, 'module.json', 1_000)).rejects.toThrow(/did not respond|timeout|in time/i);
});

test('a package that one of the keys has signed is installed in production, others are not', async () => {
  const { url, files } = await startGitlab();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyFile = join(await temporaryFolder(), 'key');
  await writeFile(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const key = await readPrivateKey(keyFile);
  await writeFile(keyFile, Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url').toString('base64'));
  expect((await readPrivateKey(keyFile)).equals(key)).toBe(true);
  const publicBytes = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('base64');
  const strangers = Buffer.alloc(32, 7).toString('base64');
  const configFor = (keys: string, environment = 'production') =>
    configWith({ MODULE_REGISTRY_URL: url, MODULE_SIGNING_KEYS: keys, APP_ENV: environment });
  const publisher = await configFor(publicBytes);
  await publishPackage(publisher, await writeZip(), undefined);

  await expect(installPackage(publisher, id, { warn })).rejects.toThrow(
    /it is not signed, and MODULE_SIGNING_KEYS is set/,
  );
  const warnings: string[] = [];
  await installPackage(await configFor(publicBytes, 'local'), id, { warn: (line) => void warnings.push(line) });
  expect(warnings).toEqual(['notes@1.0.0 is not signed; in production it would be refused']);

  await publishPackage(publisher, await writeZip(), key);
  await installPackage(publisher, id, { warn });
  await expect(installPackage(await configFor(strangers, 'local'), id, { warn })).rejects.toThrow(
    /none of MODULE_SIGNING_KEYS made its signature/,
  );
  const [zip] = [...files.keys()].filter((path) => path.endsWith('.zip'));
  files.set(String(zip), packageBytes({ 'module.js': 'changed' }));
  await expect(installPackage(await configFor(publicBytes), id, { warn })).rejects.toThrow(/made its signature/);
});

test('a file that is no key is refused without showing it', async () => {
  const file = join(await temporaryFolder(), 'key');
  await writeFile(file, 'not-a-key');
  await expect(readPrivateKey(file)).rejects.toThrow(`${file} is not an Ed25519 private key`);
  await expect(readPrivateKey(`${file}.absent`)).rejects.toThrow('cannot be read (ENOENT)');
  expect((await readFile(file, 'utf8')).length).toBe(9);
});
