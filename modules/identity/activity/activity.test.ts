import { randomUUID } from 'node:crypto';
import { type SystemCtx, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { Context } from '../../../server/src/context/context.ts';
import { startAccounts } from '../../../server/testing/accounts.ts';
import { auditEntries } from '../../../server/testing/audit-entries.ts';
import type { TestTenant } from '../../../server/testing/platform.ts';
import { readByCursor } from '../../../server/testing/read-by-cursor.ts';
import { addMember } from '../accounts/users.ts';
import { activityLog } from './activity-log.ts';

const platform = await startAccounts();
const { central } = platform.kernel;
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme, name: 'Olga Owner' });
const manager = await platform.person({ tenant: acme, role: 'Manager', name: '=HYPERLINK("x")' });
const other = await platform.tenant();
const otherOwner = await platform.person({ tenant: other });

interface Entry {
  tenantId?: string | null;
  userId?: number | null;
  subjectId?: number | null;
  action: string;
  at?: string;
  details?: object;
}

async function insertEntry({ tenantId = acme.id, userId = owner.id, subjectId = userId, action, at, details }: Entry) {
  const id = randomUUID();
  await central.db.run(sql`
    INSERT INTO activity_log (id, at, tenant_id, user_id, action, subject_id, details, ip, user_agent)
    VALUES (${id}, ${at ?? new Date().toISOString()}, ${tenantId}, ${userId}, ${action}, ${subjectId},
      ${JSON.stringify(details ?? {})}, '192.0.2.7', '@SUM(1+1)')`);
  return id;
}

async function actions(query: string, person = owner): Promise<string[]> {
  const { status, body } = await person.get(`/api/v1/activity?per_page=100&${query}`);
  expect(status).toBe(200);
  return body.activity.map(({ action }: Entry) => action);
}

test('an entry contains the actor, the action, the subject, the time and the origin', async () => {
  const id = await insertEntry({ action: 'entry', subjectId: manager.id, details: { to: 'Agent' } });
  const { body } = await owner.get('/api/v1/activity?action=entry');
  expect(body).toEqual({
    activity: [
      {
        id,
        action: 'entry',
        at: expect.stringMatching(/Z$/),
        details: { to: 'Agent' },
        user: { id: owner.id, name: 'Olga Owner' },
        subject: { id: manager.id, name: manager.name },
        ip: '192.0.2.7',
        user_agent: '@SUM(1+1)',
      },
    ],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 1 },
  });
});

test('entries are listed newest first, page by page', async () => {
  for (const [index, action] of ['p1', 'p2', 'p3'].entries()) {
    await insertEntry({ action, userId: manager.id, at: `2030-01-0${index + 1}T00:00:00Z` });
  }
  const query = `user_id=${manager.id}&from=2030-01-01T00:00:00Z`;
  expect(await actions(query)).toEqual(['p3', 'p2', 'p1']);
  const { body } = await owner.get(`/api/v1/activity?${query}&per_page=2&page=2`);
  expect(body.activity.map(({ action }: Entry) => action)).toEqual(['p1']);
  expect(body.pagination).toEqual({ current_page: 2, last_page: 2, per_page: 2, total: 3 });
  expect(await actions(`${query}&to=2030-01-02T00:00:00Z`)).toEqual(['p2', 'p1']);
  expect(await actions(`${query}&action=p2`)).toEqual(['p2']);
});

test.each(['page=0', 'per_page=101', 'from=yesterday', 'to=2030-13-01T00:00:00Z', 'user_id=x'])(
  'the list refuses %s',
  async (query) => {
    expect((await owner.get(`/api/v1/activity?${query}`)).status).toBe(422);
  },
);

test('account changes of members are visible in each of their tenants, entries of other tenants are not', async () => {
  const both = await platform.person({ tenant: acme });
  await addMember(central.db, { userId: both.id, tenantId: other.id, role: 'Viewer' });
  await insertEntry({ tenantId: null, userId: both.id, action: 'account' });
  await insertEntry({ tenantId: acme.id, userId: both.id, action: 'in_acme' });
  await insertEntry({ tenantId: other.id, userId: both.id, action: 'in_other' });
  await insertEntry({ tenantId: null, userId: otherOwner.id, action: 'account_of_other' });
  await insertEntry({ tenantId: null, userId: null, action: 'of_nobody' });
  const query = `user_id=${both.id}`;
  expect((await actions(query)).sort()).toEqual(['account', 'in_acme']);
  expect((await actions(query, otherOwner)).sort()).toEqual(['account', 'in_other']);
  const all = await actions('');
  for (const hidden of ['in_other', 'account_of_other', 'of_nobody']) expect(all).not.toContain(hidden);
});

test('entries from before a member joined or after it left are not shown', async () => {
  const person = await platform.person({ tenant: acme });
  await insertEntry({ tenantId: null, userId: person.id, action: 'before', at: '2020-01-01T00:00:00Z' });
  await insertEntry({ tenantId: null, userId: person.id, action: 'since' });
  expect(await actions(`user_id=${person.id}`)).toEqual(['since']);
  await owner.delete(`/api/v1/team/${person.id}`);
  expect(await actions(`user_id=${person.id}`)).toEqual([]);
});

test('the export has the same entries in fixed columns, with formulas escaped', async () => {
  await insertEntry({ action: 'exported', userId: manager.id, subjectId: null, details: { a: 'x,"y"\n' } });
  const { status, body, headers } = await owner.get('/api/v1/activity/export?action=exported');
  expect(status).toBe(200);
  expect(headers['content-type']).toContain('text/csv');
  expect(headers['content-disposition']).toMatch(/^attachment; filename="activity-\d{4}-\d\d-\d\d\.csv"$/);
  const [header, row, end] = body.split('\r\n');
  expect(header).toBe('\ufeffid,at,action,user_id,user_name,subject_id,subject_name,details,ip,user_agent');
  expect(row.split(',').slice(2).join()).toBe(
    `exported,${manager.id},"'=HYPERLINK(""x"")",,,"{""a"":""x,\\""y\\""\\n""}",192.0.2.7,"'@SUM(1+1)"`,
  );
  expect(end).toBe('');
});

test('the export contains no entries of other tenants', async () => {
  await insertEntry({ tenantId: other.id, userId: otherOwner.id, action: 'secret_of_other' });
  expect((await owner.get('/api/v1/activity/export')).body).not.toContain('secret_of_other');
  expect((await otherOwner.get('/api/v1/activity/export')).body).toContain('secret_of_other');
});

test('a long export respects backpressure and holds no connection while it waits', async () => {
  const tenant = await platform.tenant();
  const person = await platform.person({ tenant });
  await central.db.run(sql`
    INSERT INTO activity_log (id, at, tenant_id, user_id, action)
    SELECT gen_random_uuid(), now() - (n / 7) * interval '1 microsecond', ${tenant.id}, ${person.id}, 'n' || n
    FROM generate_series(1, 2300) n`);
  const query = { format: 'json', sort_by: 'at', sort_order: 'desc' } as const;
  const { body } = await activityLog.file(contextIn(tenant), query);
  const chunks: string[] = [];
  for await (const chunk of body as AsyncIterable<string>) {
    // Other entries may still be written.
    if (chunks.length === 0) await expect.poll(connectionsInUse).toBe(0);
    chunks.push(chunk);
  }
  const actions = JSON.parse(chunks.join('')).activity.map(({ action }: Entry) => action);
  // Many entries have the same time, and each is listed once.
  expect(actions).toHaveLength(2300);
  expect(new Set(actions).size).toBe(2300);
});

test('the export can be JSON, with the entries as in the list', async () => {
  const id = await insertEntry({ action: 'as_json', details: { n: 1 } });
  const { body, headers } = await owner.get('/api/v1/activity/export?action=as_json&format=json');
  expect(headers['content-disposition']).toMatch(/activity-[\d-]+\.json"$/);
  expect(body).toEqual({ activity: (await owner.get('/api/v1/activity?action=as_json')).body.activity });
  expect(body.activity).toMatchObject([{ id, user: { name: 'Olga Owner' }, details: { n: 1 } }]);
});

test('an export is recorded in the audit log', async () => {
  await owner.get('/api/v1/activity/export?action=audited');
  expect((await auditEntries(platform, owner, 'activity.export'))[0]).toMatchObject({
    outcome: 'ok',
    user_id: owner.id,
    input: { action: 'audited' },
  });
});

test('a cursor visits every entry once, also while others are added', async () => {
  const at = '2031-01-01T00:00:00Z';
  const ids = await Promise.all(
    Array.from({ length: 7 }, (_, n) => insertEntry({ action: 'cursor', at: n < 4 ? at : `2031-01-0${n}T00:00:00Z` })),
  );
  for (const order of ['asc', 'desc']) {
    const url = `/api/v1/activity?action=cursor&sort_order=${order}&to=2031-01-31`;
    const read = await readByCursor<{ id: string }>(owner, url, () =>
      insertEntry({ action: 'cursor', at: '2032-01-01T00:00:00Z' }),
    );
    expect(read.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  }
});

test('entries since a given time are listed, with days in the time zone of the tenant', async () => {
  // In Asia/Kolkata it is half past midnight on the 15th.
  await insertEntry({ action: 'night', at: '2026-11-14T19:00:00Z' });
  expect(await actions('action=night&from=2026-11-15&to=2026-11-15')).toEqual(['night']);
  expect(await actions('action=night&updated_from=2026-11-15&sort_by=updated_at')).toEqual(['night']);
  expect(await actions('action=night&updated_from=2026-11-16')).toEqual([]);
});

test('all errors of a query are reported in one response', async () => {
  const { status, body } = await owner.get('/api/v1/activity?colour=red&page=0&from=yesterday&_trace=1');
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { colour: ['unknown'], page: ['too_small'], from: ['invalid'] },
  });
});

function connectionsInUse(): number {
  const { open, idle } = platform.kernel.budget.counts();
  return open - idle;
}

function contextIn(tenant: TestTenant): SystemCtx {
  return new Context(platform.kernel, { requestId: 'test', module: 'identity', tenant, system: true });
}
