import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SystemCtx, sql } from '@chowk/kit';
import { inject } from 'vitest';
import { Context } from '../src/context.ts';
import { startPlatform, type TestAnswer, type TestOptions, type TestPlatform, uniqueId } from './platform.ts';

export interface OwnerFields {
  organization_name: string;
  organization_slug: string;
  name: string;
  email: string;
  password: string;
  password_confirmation: string;
}

/** A platform on which nothing has been installed yet. */
export interface Wizard extends TestPlatform {
  /** What the module's own functions are given. */
  readonly ctx: SystemCtx;
  get(path: 'status' | 'check-requirements'): Promise<TestAnswer>;
  post(
    path: 'setup-database' | 'seed-data' | 'owner',
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestAnswer>;
  /** Takes the steps before the owner. */
  untilOwner(): Promise<void>;
  /** The marker file, if there is one. */
  marker(): Promise<{ installed_at: string; version: string } | undefined>;
  /** How many rows the tables of the installation hold. */
  counts(): Promise<Record<string, number>>;
}

/** How many permissions the seed creates: the platform's 68 and those that modules add. */
export function permissionCount({ kernel }: TestPlatform): number {
  return kernel.services.permissions.length;
}

export function ownerForm(changes: Partial<Record<keyof OwnerFields, unknown>> = {}): OwnerFields {
  return {
    organization_name: 'Acme Stores',
    organization_slug: uniqueId(),
    name: 'Asha Rao',
    email: 'asha@example.com',
    password: 'correct horse',
    password_confirmation: 'correct horse',
    ...changes,
  } as OwnerFields;
}

/** With a key pair at hand, since making one takes a while, unless the test is about that. */
export async function startWizard({
  keyAtHand = true,
  ...options
}: TestOptions & { keyAtHand?: boolean } = {}): Promise<Wizard> {
  const platform = await startPlatform(options);
  const { kernel, request } = platform;
  const { db } = kernel.central;
  const { storagePath } = kernel.config;
  if (keyAtHand) await writeFile(join(storagePath, 'oauth-private.key'), inject('signingKey'));
  if (!options.beside) await forgetSeed(platform);
  const get: Wizard['get'] = (path) => request({ url: `/api/v1/install/${path}` });
  const post: Wizard['post'] = (path, body, headers = {}) =>
    request({
      method: 'POST',
      url: `/api/v1/install/${path}`,
      headers,
      ...(body === undefined ? {} : { payload: body as object }),
    });
  return {
    ...platform,
    ctx: new Context(kernel, { requestId: 'test', module: 'installation', system: true }),
    get,
    post,
    async untilOwner() {
      const headers = { 'x-install-token': kernel.config.installToken ?? '' };
      const answers = [
        await get('check-requirements'),
        await post('setup-database', undefined, headers),
        await post('seed-data', undefined, headers),
      ];
      const failed = answers.find(({ status, body }) => status !== 200 || body.passed === false);
      if (failed) throw new Error(`the wizard stopped: ${JSON.stringify(failed.body)}`);
    },
    async marker() {
      const text = await readFile(join(storagePath, 'installed'), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : JSON.parse(text);
    },
    async counts() {
      const row = await db.row<Record<string, number>>(sql`
        SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM tenants) AS tenants,
          (SELECT count(*) FROM memberships) AS memberships, (SELECT count(*) FROM domains) AS domains,
          (SELECT count(*) FROM roles) AS roles, (SELECT count(*) FROM permissions) AS permissions,
          (SELECT count(*) FROM role_permissions) AS role_permissions,
          (SELECT count(*) FROM signing_keys) AS signing_keys, (SELECT count(*) FROM oauth_clients) AS oauth_clients,
          (SELECT count(*) FROM platform_settings) AS platform_settings,
          (SELECT count(*) FROM module_configurations) AS module_configurations,
          (SELECT count(*) FROM schema_migrations) AS schema_migrations`);
      return row ?? {};
    },
  };
}

/** The central database of a test is a copy of a seeded one. */
async function forgetSeed({ kernel }: TestPlatform): Promise<void> {
  const { db } = kernel.central;
  for (const table of [sql`role_permissions`, sql`roles`, sql`permissions`]) await db.run(sql`DELETE FROM ${table}`);
  await db.run(sql`DELETE FROM module_configurations`);
  await db.run(sql`DELETE FROM platform_settings`);
}
