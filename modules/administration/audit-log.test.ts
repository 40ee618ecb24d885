import { action, sql, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform, type TestCaller } from '../../server/testing/platform.ts';
import { readByCursor } from '../../server/testing/read-by-cursor.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const Note = Type.Object({ id: Type.String(), text: Type.Optional(Type.String()) });
const common = { summary: 'Test', needs: 'notes.edit', input: Note } as const;
const platform = await startPlatform({
  modules: [
    ...(await repositoryModules('administration')),
    testModule({
      alias: 'notes',
      consumes: ['tasks.put'],
      actions: {
        'notes.put': action({ ...common, http: 'PUT /notes/:id', run: async (ctx) => ctx.audit({ text: ['a', 'b'] }) }),
        'notes.pass': action({
          ...common,
          http: 'POST /notes/:id/pass',
          audited: false,
          run: (ctx, input) => ctx.bus.call('tasks.put' as never, input as never),
        }),
      },
    }),
    testModule({
      alias: 'tasks',
      actions: {
        'tasks.put': action({ ...common, bus: { rateLimit: 600 }, http: 'PUT /tasks/:id', run: async () => ({}) }),
      },
    }),
  ],
});
const acme = await platform.tenant();
const [asha, ravi] = [acme.caller('notes.edit'), acme.caller('notes.edit')];
const reader = acme.caller('audit.view', 'audit.export');

const put = (caller: TestCaller, path: string) => caller.request({ method: 'PUT', url: `/api/v1${path}`, payload: {} });
await put(asha, '/notes/n1');
await put(ravi, '/notes/n2');
await put(ravi, '/tasks/n1');
await put(acme.caller('notes.view'), '/notes/n1');
await asha.post('/api/v1/notes/n3/pass');
await platform.kernel.audit.flush();
const days = ['2026-03-01T18:29:59Z', '2026-03-01T18:30:00Z', '2026-03-02T18:29:59.999Z', '2026-03-02T18:30:00Z'];
await acme.db.run(sql`
  INSERT INTO module_bus_audit_log (id, at, transport, action, resource, outcome, request_id, duration_ms, updated_at)
  SELECT gen_random_uuid(), at, 'command', 'old.thing', 'old', 'ok', 'old', 1, at FROM unnest(${days}::timestamptz[]) at`);

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly resource_id: string | null;
  readonly user_id: number;
  readonly outcome: string;
}

async function find(query: string): Promise<Entry[]> {
  const { status, body } = await reader.get(`/api/v1/audit?per_page=100&${query}`);
  expect(status).toBe(200);
  return body.audit;
}

/** `action resource_id` of each entry, sorted. */
const summarize = (entries: readonly Entry[]) =>
  entries.map(({ action, resource_id }) => `${action} ${resource_id}`).sort();

test.each([
  [() => `user_id=${asha.user.id}`, ['notes.put n1', 'tasks.put n3']],
  [() => `user_id=${asha.user.id}&is_internal=false`, ['notes.put n1']],
  [() => `user_id=${asha.user.id}&is_internal=true`, ['tasks.put n3']],
  [() => `user_id=${ravi.user.id}`, ['notes.put n2', 'tasks.put n1']],
  [() => 'user_id=999999999', []],
  [() => 'action=notes.put', ['notes.put n1', 'notes.put n1', 'notes.put n2']],
  [() => 'action=notes', []],
  [() => 'resource=tasks', ['tasks.put n1', 'tasks.put n3']],
  [() => 'resource_id=n1', ['notes.put n1', 'notes.put n1', 'tasks.put n1']],
  [() => 'resource=notes&resource_id=n1', ['notes.put n1', 'notes.put n1']],
  [() => 'outcome=refused', ['notes.put n1']],
  [() => 'transport=bus', ['tasks.put n3']],
  [() => 'module=notes', ['tasks.put n3']],
  [() => `user_id=${asha.user.id}&resource=notes`, ['notes.put n1']],
])('the log is filtered by user, action, resource, outcome, transport and module: %#', async (query, expected) => {
  expect(summarize(await find(query()))).toEqual(expected);
});

test('an entry is found by the X-Request-Id of the response', async () => {
  const { headers } = await asha.request({ method: 'PUT', url: '/api/v1/notes/n9', payload: {} });
  await platform.kernel.audit.flush();
  expect(summarize(await find(`request_id=${headers['x-request-id']}`))).toEqual(['notes.put n9']);
});

test.each([
  ['from=2026-03-02&to=2026-03-02', 2],
  ['from=2026-03-01&to=2026-03-01', 1],
  ['from=2026-03-01T18:30:00Z&to=2026-03-01T18:30:00Z', 1],
  ['from=2026-03-02T00:00:00%2B05:30&to=2026-03-03T00:00:00%2B05:30', 3],
  ['to=2026-03-02T18:29:59.999Z', 3],
  ['updated_from=2026-03-02', 3],
  ['from=2999-01-01', 0],
])('a time filters by the instant, a date by the day in the time zone of the tenant: %s', async (query, count) => {
  expect(await find(`resource=old&${query}`)).toHaveLength(count);
});

test('entries are sorted newest first, by page and by cursor', async () => {
  const all = await find('');
  const times = all.map(({ at }) => at);
  expect(times).toEqual(times.toSorted().reverse());
  expect(await readByCursor(reader, '/api/v1/audit')).toEqual(all);
  expect((await find('sort_order=asc')).map(({ id }) => id)).toEqual(all.map(({ id }) => id).reverse());
});

test('an entry has all its fields', async () => {
  const [entry] = await find('resource_id=n2');
  expect(entry).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    transport: 'rest',
    user_id: ravi.user.id,
    module: null,
    action: 'notes.put',
    resource: 'notes',
    resource_id: 'n2',
    outcome: 'ok',
    error_code: null,
    request_id: expect.any(String),
    duration_ms: expect.any(Number),
    input: { id: 'n2' },
    changes: { text: ['a', 'b'] },
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
});

test('an export has the same entries as the list, and is itself recorded', async () => {
  const json = await reader.get('/api/v1/audit/export?format=json&resource=notes');
  expect(json.headers['content-disposition']).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.json"$/);
  expect(json.body.audit).toEqual(await find('resource=notes'));
  const csv = await reader.get('/api/v1/audit/export?resource=tasks');
  const [head, ...lines] = (csv.body as string).trim().split('\r\n');
  expect(head).toBe(
    'id,at,transport,user_id,module,action,resource,resource_id,outcome,error_code,request_id,duration_ms,input,changes,updated_at',
  );
  expect(lines).toHaveLength((await find('resource=tasks')).length);
  await platform.kernel.audit.flush();
  const exports = await find('action=audit.export');
  expect(exports).toMatchObject([
    { user_id: reader.user.id, outcome: 'ok', input: { resource: 'tasks' } },
    { user_id: reader.user.id, outcome: 'ok', input: { resource: 'notes', format: 'json' } },
  ]);
});

test('viewing and exporting the log need different permissions', async () => {
  const viewer = acme.caller('audit.view');
  expect((await viewer.get('/api/v1/audit')).status).toBe(200);
  expect((await viewer.get('/api/v1/audit/export')).status).toBe(403);
  expect((await acme.caller('audit.export').get('/api/v1/audit')).status).toBe(403);
});

test('a tenant cannot read the log of another tenant', async () => {
  const other = await platform.tenant();
  expect((await other.caller('audit.view').get('/api/v1/audit')).body.audit).toEqual([]);
});

test.each([
  'user_id=x',
  'user_id=0',
  'outcome=fine',
  'transport=pigeon',
  'from=yesterday',
  'sort_by=user_id',
  'who=me',
])('an invalid filter is 422: %s', async (query) => {
  expect((await reader.get(`/api/v1/audit?${query}`)).status).toBe(422);
});
