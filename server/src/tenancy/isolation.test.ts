import { type Ctx, route, sql, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform, type TestCaller } from '../../testing/platform.ts';

const marks = [
  route({
    method: 'POST',
    path: '/marks',
    tag: 'Test',
    summary: 'Writes the name of the tenant into its database.',
    needs: 'marks.write',
    body: Type.Object({ name: Type.String() }),
    run: (ctx: Ctx, { body }) =>
      ctx.tx(async (inner) => {
        await inner.db.run(sql`INSERT INTO idempotency_keys (caller, key, request_hash, locked_until, expires_at)
          VALUES (${body.name}, ${inner.newId()}, ${inner.tenant.id}, now(), now() + interval '1 day')`);
        return read(inner);
      }),
  }),
  route({ method: 'GET', path: '/marks', tag: 'Test', summary: 'Reads them.', needs: 'marks.write', run: read }),
];

async function read(ctx: Ctx) {
  const rows = await ctx.db.rows<{ caller: string; request_hash: string; database: string }>(
    sql`SELECT caller, request_hash, current_database() AS database FROM idempotency_keys`,
  );
  return { tenant: ctx.tenant.id, rows };
}

test('400 tenants in parallel on a small budget never see each other', { timeout: 90_000 }, async () => {
  const platform = await startPlatform({
    routes: marks,
    environment: { DATABASE_CONNECTIONS: '24', DATABASE_WAIT_TIMEOUT_MS: '60000' },
  });
  const callers = new Map<string, TestCaller>();
  const makers = Array.from({ length: 4 }, async () => {
    while (callers.size < 400) {
      const tenant = await platform.tenant();
      callers.set(tenant.id, tenant.caller('marks.write'));
    }
  });
  await Promise.all(makers);

  const visits = [...callers].flatMap(([id, caller]) => [
    caller.post('/api/v1/marks', { name: id }).then(({ body }) => ({ id, body })),
    caller.get('/api/v1/marks').then(({ body }) => ({ id, body })),
  ]);
  for (const { id, body } of await Promise.all(visits)) {
    expect(body.tenant).toBe(id);
    for (const row of body.rows) expect(row).toEqual({ caller: id, request_hash: id, database: `tenant${id}` });
  }
  for (const caller of callers.values()) expect((await caller.get('/api/v1/marks')).body.rows).toHaveLength(1);
});
