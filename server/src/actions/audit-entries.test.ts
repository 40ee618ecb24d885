import {
  action,
  afterCommit,
  type Ctx,
  changesBetween,
  Failure,
  job,
  removedFields,
  sql,
  Type,
} from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../testing/platform.ts';
import { testModule } from '../../testing/test-module.ts';

/* Which calls are recorded in the audit log, when, and with which content. */

const Note = Type.Object({ id: Type.String(), text: Type.Optional(Type.String()) }, { additionalProperties: true });
const conflict = () => new Failure('notes.conflict', 409, 'That is taken.');
/** Makes an action wait after its commit. */
let gate: { arrived: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> } | undefined;

async function put(ctx: Ctx, id: string, text = ''): Promise<void> {
  await ctx.db.run(sql`INSERT INTO notes VALUES (${id}, ${text}) ON CONFLICT (id) DO UPDATE SET text = excluded.text`);
}

const common = { summary: 'Test', needs: 'notes.edit', errors: ['notes.conflict'] } as const;
const onBus = { bus: { rateLimit: 6_000 } } as const;
const call = (ctx: Ctx, name: string, input: object) => ctx.bus.call(`notes.${name}` as never, input as never);

const actions = {
  'notes.put': action({
    ...common,
    ...onBus,
    http: 'POST /notes',
    input: Note,
    run: (ctx, { id, text = '' }) =>
      ctx.tx(async (tx) => {
        tx.audit(changesBetween({ text: 'before' }, { text }));
        await put(tx, id, text);
        return { id };
      }),
  }),
  'notes.create': action({
    ...common,
    http: 'POST /notes/new',
    run: (ctx) =>
      ctx.tx(async (tx) => {
        const id = tx.newId();
        await put(tx, id);
        return { id };
      }),
  }),
  'notes.emit': action({
    ...common,
    http: 'POST /notes/emit',
    run: (ctx) => ctx.emit('note.created' as never, { subject: 'n-emitted' } as never),
  }),
  'notes.plain': action({
    ...common,
    http: 'PUT /notes/:id',
    input: Note,
    run: (ctx, { id }) => put(ctx, id, 'plain'),
  }),
  'notes.undo': action({
    ...common,
    http: 'POST /notes/undo',
    input: Note,
    run: (ctx, { id }) =>
      ctx.tx(async (tx) => {
        await put(tx, id);
        tx.audit({ text: ['before', 'undone'] });
        throw conflict();
      }),
  }),
  'notes.commitAndFail': action({
    ...common,
    http: 'POST /notes/commit-and-fail',
    input: Note,
    run: async (ctx, { id }) => {
      await ctx.tx((tx) => put(tx, id));
      gate?.arrived.resolve();
      await gate?.open.promise;
      throw new Error('the power went out');
    },
  }),
  'notes.twice': action({
    ...common,
    http: 'POST /notes/twice',
    input: Note,
    run: async (ctx, { id }) => {
      for (const name of ['first', 'second']) {
        await ctx.tx(async (tx) => {
          await put(tx, id, name);
          tx.audit({ [name]: [null, name] });
        });
      }
      ctx.audit({ third: [null, 'third'] });
    },
  }),
  'notes.retried': action({
    ...common,
    http: 'POST /notes/retried',
    input: Note,
    run: async (ctx, { id }) => {
      let tries = 0;
      await ctx.tx(async (tx) => {
        tries += 1;
        tx.audit({ [`try${tries}`]: [null, tries] });
        await put(tx, id);
        if (tries === 1) await tx.db.run(sql`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
      });
    },
  }),
  'notes.savepoint': action({
    ...common,
    http: 'POST /notes/savepoint',
    input: Note,
    run: (ctx, { id }) =>
      ctx.tx(async (tx) => {
        await put(tx, id);
        tx.audit({ kept: [null, 1] });
        const inner = tx.tx(async (savepoint) => {
          savepoint.audit({ undone: [null, 1] });
          await call(savepoint, 'put', { id: `${id}-inner` });
          throw conflict();
        });
        await inner.catch(() => {});
      }),
  }),
  'notes.copy': action({
    ...common,
    http: 'POST /notes/copy',
    input: Type.Object({ id: Type.String(), undo: Type.Optional(Type.Boolean()) }),
    run: (ctx, { id, undo }) =>
      ctx.tx(async (tx) => {
        await call(tx, 'put', { id: `${id}-copy`, text: 'copied' });
        await call(tx, 'count', {});
        await put(tx, id);
        tx.audit({ copies: [0, 1] });
        if (undo) throw conflict();
      }),
  }),
  'notes.callOutside': action({
    ...common,
    http: 'POST /notes/call-outside',
    input: Note,
    run: async (ctx, { id }) => void (await call(ctx, 'put', { id })),
  }),
  'notes.delete': action({
    ...common,
    http: 'DELETE /notes/:id',
    input: Note,
    run: (ctx, { id }) =>
      ctx.tx(async (tx) => {
        tx.audit(removedFields({ id, text: 'x'.repeat(20_000), email: 'asha@example.com', price: '1.00' }));
        await tx.db.run(sql`DELETE FROM notes WHERE id = ${id}`);
      }),
  }),
  'notes.count': action({
    ...common,
    ...onBus,
    http: 'GET /notes',
    run: async (ctx) => ({ count: (await ctx.db.rows(sql`SELECT FROM notes`)).length }),
  }),
  'notes.export': action({ ...common, http: 'GET /notes/export', audited: true, run: async () => ({}) }),
  'notes.find': action({ ...common, http: 'POST /notes/find', readOnly: true, run: async () => ({}) }),
  'notes.open': action({
    summary: 'Test',
    public: true,
    http: 'POST /notes/open',
    input: Note,
    run: (ctx, { id }) => put(ctx, id),
  }),
  'notes.import': action({
    ...common,
    http: 'POST /notes/import',
    accepts: 'csv',
    input: Type.Object({ csv: Type.String() }),
    run: async () => ({}),
  }),
  'notes.later': action({
    ...common,
    http: 'POST /notes/later',
    input: Note,
    run: (ctx, { id }) => ctx.jobs.add('notes.work' as never, { id } as never),
  }),
} as const;

const platform = await startPlatform({
  modules: [
    testModule({
      alias: 'notes',
      emits: ['note.created'],
      actions,
      listeners: [afterCommit('note.created' as never, 'nothing', async () => {})],
      jobs: {
        'notes.work': job({
          data: Type.Object({ id: Type.String() }),
          run: (ctx, { id }) =>
            ctx.tx(async (tx) => {
              await put(tx, id);
              tx.audit({ text: [null, 'worked'] });
            }),
        }),
      },
      migration: 'CREATE TABLE notes (id text PRIMARY KEY, text text NOT NULL)',
    }),
  ],
});

interface Line {
  readonly transport: string;
  readonly module: string | null;
  readonly user_id: number | null;
  readonly action: string;
  readonly resource: string;
  readonly resource_id: string | null;
  readonly outcome: string;
  readonly error_code: string | null;
  readonly input: unknown;
  readonly changes: unknown;
}

/** The stored lines, oldest first; without a flush only those that were committed with their change. */
async function lines({ db }: TestTenant, { flush = true } = {}): Promise<Line[]> {
  if (flush) await platform.kernel.audit.flush();
  return db.rows<Line>(sql`
    SELECT transport, module, user_id, action, resource, resource_id, outcome, error_code, input, changes
    FROM module_bus_audit_log ORDER BY at, id`);
}

async function start() {
  const tenant = await platform.tenant();
  return { tenant, caller: tenant.caller('notes.edit') };
}

test('a change and its audit entry are committed in one transaction', async () => {
  const { tenant, caller } = await start();
  expect((await caller.post('/api/v1/notes', { id: 'n1', text: 'after' })).status).toBe(200);
  const expected = {
    transport: 'rest',
    module: null,
    user_id: caller.user.id,
    action: 'notes.put',
    resource: 'notes',
    resource_id: 'n1',
    outcome: 'ok',
    error_code: null,
    input: { id: 'n1', text: 'after' },
    changes: { text: ['before', 'after'] },
  };
  expect(await lines(tenant, { flush: false })).toEqual([expected]);
  const row = await tenant.db.row(sql`SELECT n.xmin = l.xmin AS together FROM notes n, module_bus_audit_log l`);
  expect(row).toEqual({ together: true });
  expect(await lines(tenant)).toEqual([expected]);
});

test('a change records that its tenant is active; a job of the platform alone does not', async () => {
  const { tenant, caller } = await start();
  const { central, jobs } = platform.kernel;
  const active = () => central.db.rows(sql`SELECT 1 AS active FROM outbox_activity WHERE tenant_id = ${tenant.id}`);
  const task = { job: 'notes.work', tenant: tenant.id, data: { id: 'n1' }, requestId: 'test' };
  await jobs.getHandler('notes.work').perform(task);
  expect(await active()).toEqual([]);
  await caller.post('/api/v1/notes', { id: 'n1', text: 'after' });
  await expect.poll(active).toHaveLength(1);
});

test('a change whose audit entry cannot be written is rolled back', async () => {
  const { tenant, caller } = await start();
  await tenant.db.run(sql`ALTER TABLE module_bus_audit_log ADD CONSTRAINT refuse CHECK (action <> 'notes.put')`);
  expect((await caller.post('/api/v1/notes', { id: 'n1', text: 'unaudited' })).status).toBe(500);
  expect(await tenant.db.rows(sql`SELECT FROM notes`)).toEqual([]);
});

test('a rolled-back change is recorded as a failure without changes', async () => {
  const { tenant, caller } = await start();
  expect((await caller.post('/api/v1/notes/undo', { id: 'n1' })).status).toBe(409);
  expect(await tenant.db.rows(sql`SELECT FROM notes`)).toEqual([]);
  expect(await lines(tenant, { flush: false })).toEqual([]);
  expect(await lines(tenant)).toMatchObject([
    { action: 'notes.undo', outcome: 'failed', error_code: 'notes.conflict', resource_id: 'n1', changes: null },
  ]);
});

test('an entry exists as soon as the change is committed, even if the action fails afterwards', async () => {
  const { tenant, caller } = await start();
  gate = { arrived: Promise.withResolvers(), open: Promise.withResolvers() };
  const answer = caller.post('/api/v1/notes/commit-and-fail', { id: 'n1' });
  await gate.arrived.promise;
  expect(await lines(tenant, { flush: false })).toMatchObject([{ action: 'notes.commitAndFail', outcome: 'ok' }]);
  gate.open.resolve();
  gate = undefined;
  expect((await answer).status).toBe(500);
  expect(await lines(tenant)).toMatchObject([{ outcome: 'failed', error_code: 'http.internal', resource_id: 'n1' }]);
});

test('several transactions of one call share one entry with all changes', async () => {
  const { tenant, caller } = await start();
  await caller.post('/api/v1/notes/twice', { id: 'n1' });
  const changes = { first: [null, 'first'], second: [null, 'second'], third: [null, 'third'] };
  expect(await lines(tenant)).toMatchObject([{ action: 'notes.twice', outcome: 'ok', changes }]);
});

test('a retried transaction records only the changes of the last attempt', async () => {
  const { tenant, caller } = await start();
  expect((await caller.post('/api/v1/notes/retried', { id: 'n1' })).status).toBe(200);
  expect((await lines(tenant)).map(({ changes }) => changes)).toEqual([{ try2: [null, 2] }]);
});

test('changes and bus calls in a rolled-back savepoint are not recorded', async () => {
  const { tenant, caller } = await start();
  expect((await caller.post('/api/v1/notes/savepoint', { id: 'n1' })).status).toBe(200);
  expect(await tenant.db.rows(sql`SELECT id FROM notes`)).toEqual([{ id: 'n1' }]);
  expect(await lines(tenant)).toMatchObject([{ action: 'notes.savepoint', changes: { kept: [null, 1] } }]);
});

test('a bus call has its own entry, committed with the transaction of the caller', async () => {
  const { tenant, caller } = await start();
  expect((await caller.post('/api/v1/notes/copy', { id: 'n1' })).status).toBe(200);
  const committed = await lines(tenant, { flush: false });
  expect(committed).toHaveLength(2);
  expect(committed).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ transport: 'rest', action: 'notes.copy', changes: { copies: [0, 1] } }),
      expect.objectContaining({
        transport: 'bus',
        module: 'notes',
        action: 'notes.put',
        resource_id: 'n1-copy',
        user_id: caller.user.id,
        changes: { text: ['before', 'copied'] },
      }),
    ]),
  );
  expect((await lines(tenant)).map(({ action }) => action).sort()).toEqual(['notes.copy', 'notes.count', 'notes.put']);
});

test('a bus call that is rolled back with its caller is not recorded as successful', async () => {
  const { tenant, caller } = await start();
  expect((await caller.post('/api/v1/notes/copy', { id: 'n1', undo: true })).status).toBe(409);
  const changed = (await lines(tenant)).filter(({ action }) => action !== 'notes.count');
  expect(changed).toMatchObject([{ action: 'notes.copy', outcome: 'failed', changes: null }]);
});

test('the entry of a bus call outside a transaction is committed with the change of the callee', async () => {
  const { tenant, caller } = await start();
  await caller.post('/api/v1/notes/call-outside', { id: 'n1' });
  expect(await lines(tenant, { flush: false })).toMatchObject([{ transport: 'bus', action: 'notes.put' }]);
  expect(await lines(tenant)).toHaveLength(2);
});

test('a change without a transaction is recorded with the next batch', async () => {
  const { tenant, caller } = await start();
  await caller.request({ method: 'PUT', url: '/api/v1/notes/n1', payload: { text: 'x' } });
  expect(await lines(tenant)).toMatchObject([{ action: 'notes.plain', outcome: 'ok', resource_id: 'n1' }]);
});

test('the id of a new record comes from the output or from the event', async () => {
  const { tenant, caller } = await start();
  const { body } = await caller.post('/api/v1/notes/new');
  await caller.post('/api/v1/notes/emit');
  const ids = (await lines(tenant)).map(({ action, resource_id }) => [action, resource_id]);
  expect(ids).toEqual([
    ['notes.create', body.id],
    ['notes.emit', 'n-emitted'],
  ]);
});

test('only changes and actions declared as audited are recorded', async () => {
  const { tenant, caller } = await start();
  await caller.get('/api/v1/notes');
  await caller.post('/api/v1/notes/find');
  expect(await lines(tenant)).toEqual([]);
  await caller.get('/api/v1/notes/export');
  expect(await lines(tenant)).toMatchObject([{ action: 'notes.export', outcome: 'ok' }]);
});

test('invalid input is not recorded; a missing permission is', async () => {
  const { tenant, caller } = await start();
  expect((await caller.post('/api/v1/notes', { id: 5 })).status).toBe(422);
  expect(
    (await platform.request({ method: 'POST', url: '/api/v1/notes', headers: { 'x-tenant': tenant.id } })).status,
  ).toBe(401);
  const stranger = (await platform.tenant()).caller('notes.edit');
  expect((await stranger.post('/api/v1/notes', { id: 'n1' }, { 'x-tenant': tenant.id })).status).toBe(403);
  expect(await lines(tenant)).toEqual([]);
  const reader = tenant.caller('notes.view');
  expect((await reader.delete('/api/v1/notes/n1')).status).toBe(403);
  expect((await reader.get('/api/v1/notes')).status).toBe(403);
  expect(await lines(tenant)).toMatchObject([
    {
      transport: 'rest',
      action: 'notes.delete',
      resource_id: 'n1',
      user_id: reader.user.id,
      outcome: 'refused',
      error_code: 'auth.forbidden',
    },
  ]);
});

test('a change with an Idempotency-Key has one entry, committed with it, however often its transaction is retried', async () => {
  const { tenant, caller } = await start();
  await tenant.db.run(sql`CREATE SEQUENCE tries`);
  await tenant.db.run(sql`
    CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('tries') <= 2 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
      RETURN NULL;
    END $$`);
  await tenant.db.run(sql`
    CREATE CONSTRAINT TRIGGER refuse_twice AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION refuse_twice()`);
  const { status } = await caller.post('/api/v1/notes', { id: 'n1', text: 'after' }, { 'idempotency-key': 'a' });
  expect(status).toBe(200);
  const expected = [{ action: 'notes.put', outcome: 'ok', resource_id: 'n1', changes: { text: ['before', 'after'] } }];
  expect(await lines(tenant, { flush: false })).toMatchObject(expected);
  expect(await lines(tenant)).toHaveLength(1);
});

test('a request with an Idempotency-Key that fails is recorded as a failure and has changed nothing', async () => {
  const { tenant, caller } = await start();
  const key = { 'idempotency-key': 'a' };
  expect((await caller.post('/api/v1/notes/commit-and-fail', { id: 'n1' }, key)).status).toBe(500);
  expect(await tenant.db.rows(sql`SELECT FROM notes`)).toEqual([]);
  expect(await lines(tenant)).toMatchObject([{ outcome: 'failed', error_code: 'http.internal', resource_id: 'n1' }]);
});

test('a replayed request is not recorded again', async () => {
  const { tenant, caller } = await start();
  const post = () => caller.post('/api/v1/notes', { id: 'n1' }, { 'idempotency-key': 'a' });
  expect([(await post()).status, (await post()).headers['idempotency-replayed']]).toEqual([200, 'true']);
  expect(await lines(tenant)).toHaveLength(1);
});

test('an anonymous change has no user', async () => {
  const tenant = await platform.tenant();
  await platform.request({
    method: 'POST',
    url: '/api/v1/notes/open',
    payload: { id: 'n1' },
    headers: { 'x-tenant': tenant.id },
  });
  expect(await lines(tenant)).toMatchObject([{ action: 'notes.open', user_id: null }]);
});

test('a job that a user started is recorded for that user', async () => {
  const { tenant, caller } = await start();
  await platform.kernel.work();
  await caller.post('/api/v1/notes/later', { id: 'n1' });
  await expect
    .poll(() => lines(tenant))
    .toMatchObject([
      { transport: 'rest', action: 'notes.later' },
      { transport: 'job', action: 'notes.work', user_id: caller.user.id, changes: { text: [null, 'worked'] } },
    ]);
});

const odd = ['a\0b', '\ud800', 'x\udc00\ud800y', '\\u0000', '\\', '\u2028', '😀'];

test.each(odd)('text that PostgreSQL cannot store does not fail the change: %j', async (text) => {
  const { tenant, caller } = await start();
  const input = { id: 'n1', [text]: { list: [text, text + text] } };
  expect((await caller.post('/api/v1/notes', input)).status).toBe(200);
  const [line] = await lines(tenant);
  const clean = text.replaceAll('\0', '\ufffd').toWellFormed();
  expect(line?.input).toEqual({ id: 'n1', [clean]: { list: [clean, clean + clean] } });
});

test.each(['a\0b', '\ud800', 'x'.repeat(10_000)])(
  'an id that no index can hold does not stop the log: %j',
  async (id) => {
    const { tenant, caller } = await start();
    const reader = tenant.caller('notes.view');
    expect((await reader.delete(`/api/v1/notes/${encodeURIComponent('a\0b')}`)).status).toBe(403);
    await caller.post('/api/v1/notes/call-outside', { id });
    await caller.post('/api/v1/notes', { id: 'n1' });
    const found = await lines(tenant);
    expect(found.map(({ action }) => action)).toEqual(expect.arrayContaining(['notes.delete', 'notes.put']));
    expect(found.find(({ action }) => action === 'notes.delete')?.resource_id).toBe('a\ufffdb');
  },
);

test('changes are recorded without personal data, and long texts are truncated', async () => {
  const { tenant, caller } = await start();
  await caller.delete('/api/v1/notes/n1');
  expect(await lines(tenant)).toMatchObject([
    {
      action: 'notes.delete',
      changes: { id: ['n1', null], text: [`${'x'.repeat(500)}…`, null], email: '••••', price: ['1.00', null] },
    },
  ]);
});

test('for a long input only the length is recorded, and a file is not recorded', async () => {
  const { tenant, caller } = await start();
  await caller.post('/api/v1/notes', { id: 'n1', text: 'x'.repeat(5_000) });
  await caller.request({
    method: 'POST',
    url: '/api/v1/notes/import',
    payload: 'sku',
    headers: { 'content-type': 'text/csv' },
  });
  expect((await lines(tenant)).map(({ input }) => input)).toEqual([{ too_long: expect.any(Number) }, null]);
});

test('an input that is nested too deeply to serialize does not fail the change', async () => {
  const { tenant, caller } = await start();
  const payload = `{"id":"n1","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const headers = { 'content-type': 'application/json' };
  expect((await caller.request({ method: 'POST', url: '/api/v1/notes', payload, headers })).status).toBe(200);
  expect(await lines(tenant)).toHaveLength(1);
});
