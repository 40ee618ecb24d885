import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inject, onTestFinished } from 'vitest';

/** An installed platform in a separate process, and the token of its owner. */
export interface InstalledPlatform {
  readonly url: string;
  readonly tenant: string;
  readonly token: string;
  /** What it has written to the standard error. */
  errors(): string;
}

const owner = { email: 'asha@example.com', password: 'correct horse battery' };

/** Starts the platform of this repository or of a copy of it. */
export async function startInstalledPlatform(
  repository = resolve(import.meta.dirname, '..'),
): Promise<InstalledPlatform> {
  const storagePath = await mkdtemp(join(tmpdir(), 'chowk-e2e-'));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(join(repository, 'chowkd'), ['serve'], {
    env: {
      PATH,
      HOME,
      APP_ENV: 'testing',
      PORT: '0',
      SPARE_DATABASES: '0',
      STORAGE_PATH: storagePath,
      DATABASE_URL: databaseUrl(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    await rm(storagePath, { recursive: true, force: true });
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
  return { url, errors: () => errors, ...(await install(url, `acme-${randomBytes(5).toString('hex')}`)) };
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
