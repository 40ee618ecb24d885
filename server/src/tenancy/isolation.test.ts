import { action, type Ctx, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestCaller } from '../../testing/platform.ts';

const common = { summary: 'Test', needs: 'marks.write' } as const;
const actions = {
  'marks.create': action({
    ...common,
    http: 'POST /marks',
    input: Type.Object({ name: Type.String() }),
    run: (ctx, { name }) =>
      ctx.tx(async (inner) => {
        await inner.db.run(sql`INSERT INTO idempotency_keys (caller, key, request_hash, expires_at)
          VALUES (${name}, ${inner.newId()}, ${inner.tenant.id}, now() + interval '1 day')`);
        return read(inner);
      }),
  }),
  'marks.list': action({ ...common, http: 'GET /marks', run: read }),
};

async function read(ctx: Ctx) {
  const rows = await ctx.db.rows<{ caller: string; request_hash: string; database: string }>(
    sql`SELECT caller, request_hash, current_database() AS database FROM idempotency_keys`,
  );
  return { tenant: ctx.tenant.id, rows };
}

/** Each connection of the budget serves about 17 tenants. */
const tenantCount = 100;
const rounds = 2;

test('100 tenants in parallel on a small budget never see each other', async () => {
  const platform = await startPlatform({
    actions,
    environment: { DATABASE_CONNECTIONS: '12', DATABASE_WAIT_TIMEOUT_MS: '60000' },
  });
  const callers = new Map<string, TestCaller>();
  const makers = Array.from({ length: 4 }, async () => {
    while (callers.size < tenantCount) {
      const tenant = await platform.tenant();
      callers.set(tenant.id, tenant.caller('marks.write'));
    }
  });
  await Promise.all(makers);

  const visits = Array.from({ length: rounds }, () => [...callers])
    .flat()
    .flatMap(([id, caller]) => [
      caller.post('/api/v1/marks', { name: id }).then(({ body }) => ({ id, body })),
      caller.get('/api/v1/marks').then(({ body }) => ({ id, body })),
    ]);
  for (const { id, body } of await Promise.all(visits)) {
    expect(body.tenant).toBe(id);
    for (const row of body.rows) expect(row).toEqual({ caller: id, request_hash: id, database: `tenant${id}` });
  }
  for (const caller of callers.values()) expect((await caller.get('/api/v1/marks')).body.rows).toHaveLength(rounds);
});
