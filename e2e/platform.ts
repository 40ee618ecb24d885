import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject, onTestFinished } from 'vitest';

/** An installed platform in a separate process, and the token of its owner. */
export interface InstalledPlatform {
  readonly url: string;
  readonly tenant: string;
  readonly token: string;
  /** Runs a command of the operator and returns its output. */
  command(...words: string[]): Promise<string>;
  /** What it has written to the standard error. */
  errors(): string;
  /** Kills its process and starts it again, at another address. */
  killAndRestart(): Promise<void>;
}

export const owner = { email: 'asha@example.com', password: 'correct horse battery' };

/** Starts the platform of this repository or of a copy of it. It ends with the test or, with `afterAll`, with the file. */
export async function startInstalledPlatform(
  repository = resolve(import.meta.dirname, '..'),
  onEnd: (end: () => Promise<void>) => void = onTestFinished,
  settings: Record<string, string> = {},
): Promise<InstalledPlatform> {
  const storagePath = await mkdtemp(join(tmpdir(), 'chowk-e2e-'));
  const environment = { STORAGE_PATH: storagePath, DATABASE_URL: databaseUrl(), ...settings };
  let server: Server | undefined;
  onEnd(async () => {
    await server?.end('SIGTERM');
    await rm(storagePath, { recursive: true, force: true });
  });
  server = await serve(repository, environment);
  const { tenant, token } = await install(server.url, `acme-${randomBytes(5).toString('hex')}`);
  let current = server;
  return {
    tenant,
    token,
    get url() {
      return current.url;
    },
    async command(...words) {
      const { PATH = '', HOME = '' } = process.env;
      const env = { PATH, HOME, APP_ENV: 'testing', ...environment };
      return (await promisify(execFile)(join(repository, 'chowkd'), words, { env })).stdout;
    },
    errors: () => current.errors(),
    async killAndRestart() {
      await current.end('SIGKILL');
      current = await serve(repository, environment);
      server = current;
    },
  };
}

interface Server {
  readonly url: string;
  errors(): string;
  end(signal: NodeJS.Signals): Promise<void>;
}

async function serve(repository: string, environment: Record<string, string>): Promise<Server> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(join(repository, 'chowkd'), ['serve'], {
    env: { PATH, HOME, APP_ENV: 'testing', PORT: '0', SPARE_DATABASES: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const [, address] = /ready at (\S+)/.exec(output) ?? [];
      if (address) resolve(address);
    });
    child.once('exit', () => reject(new Error(`chowkd serve did not start: ${output}${errors}`)));
  });
  return {
    url,
    errors: () => errors,
    async end(signal) {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** A new central database on the PostgreSQL server of the tests. */
export function databaseUrl(): string {
  const { port, user, password } = inject('server');
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/e2e_${randomBytes(5).toString('hex')}`;
}

/** Takes the steps of the installation over HTTP and signs in as the owner. */
export async function install(
  url: string,
  tenant = 'acme-stores',
): Promise<Pick<InstalledPlatform, 'tenant' | 'token'>> {
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Record<string, string>>;
  };
  await send('GET', '/install/check-requirements');
  await send('POST', '/install/setup-database');
  await send('POST', '/install/seed-data');
  await send('POST', '/install/owner', {
    organization_name: 'Acme Stores',
    organization_slug: tenant,
    name: 'Asha Rao',
    ...owner,
    password_confirmation: owner.password,
  });
  const { access_token: token = '' } = await send('POST', '/auth/login', owner);
  return { tenant, token };
}
