import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { startAccounts } from '../../server/testing/accounts.ts';

const platform = await startAccounts();
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
const asha = await platform.person({ tenant: acme, role: 'Agent', name: 'Asha Rao' });
const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
const stranger = await platform.person({ tenant: await platform.tenant() });
const url = '/api/v1/conversations';

const begun = (await asha.post(url, { customer: { first_name: 'Ravi' }, channel: 'phone', message: { body: 'Hi' } }))
  .body.conversation;
const at = `${url}/${begun.id}`;
const assign = (assignee_id: unknown, by = asha) => by.post(`${at}/assign`, { assignee_id });

test('a message has the name of its author', () => {
  const { id, name, email } = asha;
  expect(begun.messages).toMatchObject([{ user_id: id, user: { id, name, email } }]);
});

test('a conversation can be assigned, filtered by assignee and unassigned', async () => {
  const { id, name, email } = asha;
  const assigned = await assign(id);
  expect(assigned).toMatchObject({ status: 200, body: { message: 'Assignee changed.' } });
  expect(assigned.body.conversation).toMatchObject({ assignee_id: id, assignee: { id, name, email } });
  const found = async (query: string) => (await asha.get(`${url}?${query}`)).body.pagination.total;
  expect(await found(`assignee_id=${id}`)).toBe(1);
  expect(await found('unassigned=true')).toBe(0);
  expect(await found('unassigned=false')).toBe(1);
  const taken = await assign(null);
  expect(taken.body).toMatchObject({ conversation: { assignee_id: null, assignee: null } });
  expect(await found('unassigned=true')).toBe(1);
  expect(await found(`assignee_id=${id}`)).toBe(0);
});

test.each([
  ['of no user', 999_999],
  ['of a member of another tenant', stranger.id],
  ['that is invalid', 0],
  ['as text', 'x'],
  ['missing', undefined],
])('an assignee %s is rejected', async (_, id) => {
  const { status, body } = await assign(id);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['assignee_id'] });
  expect((await asha.get(at)).body.conversation.assignee_id).toBeNull();
});

test('an invalid id and an unknown assignee are reported together', async () => {
  const { status, body } = await asha.post(`${url}/x/assign`, { assignee_id: stranger.id });
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { id: ['invalid'], assignee_id: ['unknown'] },
  });
});

test('an assignment is in the audit log with both assignees', async () => {
  await assign(asha.id);
  await assign(null);
  const { body } = await owner.get(`/api/v1/audit?action=conversations.assign&resource_id=${begun.id}&limit=2`);
  expect(body.audit).toMatchObject([
    { user_id: asha.id, changes: { assignee_id: [asha.id, null] } },
    { user_id: asha.id, changes: { assignee_id: [null, asha.id] } },
  ]);
});

test('assigning needs its own permission', async () => {
  expect((await assign(asha.id, viewer)).status).toBe(403);
});

test('former and disabled members cannot be assigned and are not shown', async () => {
  const gone = await platform.person({ tenant: acme, role: 'Agent' });
  const disabled = await platform.person({ tenant: acme, role: 'Agent' });
  for (const { id } of [gone, disabled]) expect((await assign(id)).status).toBe(200);
  await platform.kernel.central.db.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${disabled.id}`);
  expect((await asha.get(at)).body.conversation).toMatchObject({ assignee_id: disabled.id, assignee: null });
  expect((await assign(disabled.id)).status).toBe(422);
  expect((await owner.delete(`/api/v1/team/${gone.id}`)).status).toBe(200);
  expect((await assign(gone.id)).status).toBe(422);
  expect((await assign(null)).status).toBe(200);
});

test('a member is notified of a conversation that another one assigns', async () => {
  const ravi = await platform.person({ tenant: acme, role: 'Agent' });
  const notified = async () => (await ravi.get('/api/v1/notifications')).body.notifications;
  await assign(ravi.id);
  expect(await notified()).toMatchObject([
    {
      type: 'conversation.assigned',
      module: 'conversations',
      title: 'A conversation was assigned to you',
      action_url: `/conversations/${begun.id}`,
      data: { conversation_id: begun.id },
      count: 1,
    },
  ]);
  await assign(ravi.id);
  await assign(null);
  expect(await notified()).toMatchObject([{ count: 1 }]);
  await assign(ravi.id);
  expect(await notified()).toMatchObject([{ count: 2 }]);
  await assign(null);
});

test('a member who takes a conversation is not notified', async () => {
  const ravi = await platform.person({ tenant: acme, role: 'Agent' });
  expect((await assign(ravi.id, ravi)).status).toBe(200);
  expect((await ravi.get('/api/v1/notifications')).body.notifications).toEqual([]);
});

test('identity finds the members among user ids', async () => {
  const ctx = new Context(platform.kernel, { requestId: 'test', module: 'conversations', tenant: acme });
  const { id, name, email } = asha;
  const members = await ctx.bus.call('identity.members', { ids: [id, stranger.id, 999_999] });
  expect(members).toEqual([{ id, name, email, timezone: null }]);
  expect(await ctx.bus.call('identity.members', { ids: [] })).toEqual([]);
});
