import { action, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { silent } from '../../testing/silent-log.ts';
import { testConfig } from '../../testing/test-config.ts';
import { createHttpServer } from './server.ts';

const platform = await startPlatform({
  actions: {
    'things.get': action({
      summary: 'Test',
      http: 'GET /things/:id',
      needs: 'things.view',
      input: Type.Object({ id: Type.Integer(), wait: Type.Optional(Type.Integer()) }),
      run: async (ctx) => {
        await ctx.db.run(sql`SELECT pg_sleep(0.002)`);
        return {};
      },
    }),
  },
});

async function logOf(url: string, slowRequestMs: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  const log = { ...silent, warn: (details: object, message: string) => entries.push({ ...details, message }) };
  const config = testConfig({ SLOW_REQUEST_MS: slowRequestMs });
  const app = await createHttpServer({ ...platform.kernel, log: log as typeof silent, config });
  const acme = await platform.tenant({ id: `slow-${slowRequestMs}-${url.length}` });
  const { token } = acme.caller('things.view');
  await app.inject({ url, headers: { authorization: `Bearer ${token}`, 'x-tenant': acme.id } });
  return entries;
}

test('a slow request is logged with its tenant, route, duration and id', async () => {
  expect(await logOf('/api/v1/things/1', '1')).toEqual([
    {
      tenant: 'slow-1-16',
      method: 'GET',
      route: '/api/v1/things/:id',
      status: 200,
      duration_ms: expect.any(Number),
      request_id: expect.any(String),
      message: 'slow request',
    },
  ]);
});

test('a fast request, one that waits because its caller asked for it, and all with a threshold of 0 are not', async () => {
  expect(await logOf('/api/v1/things/1', '600000')).toEqual([]);
  expect(await logOf('/api/v1/things/1?wait=30', '1')).toEqual([]);
  expect(await logOf('/api/v1/things/1', '0')).toEqual([]);
});
