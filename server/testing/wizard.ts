import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SystemCtx, sql } from '@chowk/kit/kernel';
import { inject } from 'vitest';
import { recordRequirements } from '../../modules/installation/steps.ts';
import { Context } from '../src/context/context.ts';
import { startPlatform, type TestOptions, type TestPlatform, type TestResponse, uniqueId } from './platform.ts';

export interface OwnerFields {
  organization_name: string;
  organization_slug: string;
  name: string;
  email: string;
  password: string;
  password_confirmation: string;
}

/** A platform before its installation. */
export interface Wizard extends TestPlatform {
  /** The context of the installation module. */
  readonly ctx: SystemCtx;
  get(path: 'status' | 'check-requirements'): Promise<TestResponse>;
  post(
    path: 'setup-database' | 'seed-data' | 'owner',
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse>;
  /** Completes the steps before the owner's account. */
  untilOwner(): Promise<void>;
  /** The content of the marker file, if it exists. */
  marker(): Promise<{ installed_at: string; version: string } | undefined>;
  /** Row counts of the tables that the installation fills. */
  counts(): Promise<Record<string, number>>;
}

/** The number of permissions that the seed creates: the platform's 68 and those that modules add. */
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

/** Generating a key pair is slow: without `keyAtHand: false` a prepared one is used. */
export async function startWizard({
  keyAtHand = true,
  ...options
}: TestOptions & { keyAtHand?: boolean } = {}): Promise<Wizard> {
  const platform = await startPlatform(options);
  const { kernel, request } = platform;
  const { db } = kernel.central;
  const { storagePath } = kernel.config;
  if (keyAtHand) await writeFile(join(storagePath, 'oauth-private.key'), inject('signingKey'));
  if (!options.sharedWith) await deleteSeed(platform);
  const get: Wizard['get'] = (path) => request({ url: `/api/v1/install/${path}` });
  const post: Wizard['post'] = (path, body, headers = {}) =>
    request({
      method: 'POST',
      url: `/api/v1/install/${path}`,
      headers,
      ...(body === undefined ? {} : { payload: body as object }),
    });
  const ctx = new Context(kernel, { requestId: 'test', module: 'installation', system: true });
  return {
    ...platform,
    ctx,
    get,
    post,
    async untilOwner() {
      const headers = { 'x-install-token': kernel.config.installToken ?? '' };
      // Not by a request: the checks generate a key pair and start a process.
      await recordRequirements(ctx, true);
      const responses = [await post('setup-database', undefined, headers), await post('seed-data', undefined, headers)];
      const failed = responses.find(({ status }) => status !== 200);
      if (failed) throw new Error(`the installation failed: ${JSON.stringify(failed.body)}`);
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

/** Deletes the seed data that the template of the test databases contains. */
async function deleteSeed({ kernel }: TestPlatform): Promise<void> {
  const { db } = kernel.central;
  for (const table of [sql`role_permissions`, sql`roles`, sql`permissions`]) await db.run(sql`DELETE FROM ${table}`);
  await db.run(sql`DELETE FROM module_configurations`);
  await db.run(sql`DELETE FROM platform_settings`);
}
