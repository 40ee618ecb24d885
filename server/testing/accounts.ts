import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { inject } from 'vitest';
import { getAccounts } from '../../modules/identity/accounts/accounts.ts';
import { addMember, createUser } from '../../modules/identity/accounts/users.ts';
import { createPersonalClient } from '../../modules/identity/profile/personal-tokens.ts';
import { startPlatform, type TestOptions, type TestPlatform, type TestResponse, type TestTenant } from './platform.ts';

/** A user with an account and an open session. */
export interface Person {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Sends a request as this user, in their tenant. */
  request(options: InjectOptions): Promise<TestResponse>;
  get(url: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  put(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  patch(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  delete(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
}

export interface AccountsPlatform extends TestPlatform {
  /** Creates a user with a verified address who is a member of the tenant. */
  person(options?: { tenant?: TestTenant; role?: string; name?: string; verified?: boolean }): Promise<Person>;
  /** Makes a user a member of another tenant too. */
  join(person: Person, tenant: TestTenant): Promise<void>;
  /** Waits for a mail to the address with a matching subject; returns the newest. */
  mailTo(address: string, subject?: RegExp): Promise<{ subject: string; text: string; html: string }>;
}

export const testPassword = 'correct horse battery';

/** A platform with real accounts: seeded roles, a signing key and running workers. */
export async function startAccounts(options: TestOptions = {}): Promise<AccountsPlatform> {
  const platform = await startPlatform({ ...options, identity: undefined });
  const { kernel, request } = platform;
  await writeFile(join(kernel.config.storagePath, 'oauth-private.key'), inject('signingKey'));
  const { keys, passwords, sessions } = getAccounts(kernel.services);
  await keys.ensure();
  await createPersonalClient(kernel.central.db);
  if (!options.sharedWith) await kernel.work();
  return {
    ...platform,
    async person({ tenant, role = 'Owner', name = 'Asha Rao', verified = true } = {}) {
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const passwordHash = await passwords.hash(testPassword);
      const id = (await createUser(kernel.central.db, {
        name,
        email,
        passwordHash,
        emailVerified: verified,
      })) as number;
      if (tenant) await addMember(kernel.central.db, { userId: id, tenantId: tenant.id, role });
      const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'test' };
      const { access_token, refresh_token } = await sessions.open({ userId: id, kind: 'login', client });
      const send = (options: InjectOptions) =>
        request({
          ...options,
          headers: {
            authorization: `Bearer ${access_token}`,
            ...(tenant ? { 'x-tenant': tenant.id } : {}),
            ...options.headers,
          },
        });
      const withBody =
        (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
        (url: string, body?: unknown, headers = {}) =>
          send({ method, url, headers, ...(body === undefined ? {} : { payload: body as object }) });
      return {
        id,
        name,
        email,
        password: testPassword,
        accessToken: access_token,
        refreshToken: refresh_token,
        request: send,
        get: (url, headers = {}) => send({ method: 'GET', url, headers }),
        post: withBody('POST'),
        put: withBody('PUT'),
        patch: withBody('PATCH'),
        delete: withBody('DELETE'),
      };
    },
    join: ({ id: userId }, { id: tenantId }) => addMember(kernel.central.db, { userId, tenantId, role: 'Agent' }),
    async mailTo(address, subject = /./) {
      const { vi } = await import('vitest');
      return vi.waitFor(
        async () => {
          const mails = await kernel.services.mail.listStored();
          const match = mails.find((mail) => mail.to === address && subject.test(mail.subject));
          if (!match) throw new Error(`no mail to ${address} with a subject like ${subject}`);
          return match;
        },
        { timeout: 15_000, interval: 20 },
      );
    },
  };
}
