import { join } from 'node:path';
import { type Action, type Ctx, type Delivery, defineModule, inTransaction } from '@chowk/kit/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { Context } from '../../server/src/context/context.ts';
import { type LoadedModule, loadModule } from '../../server/src/loader/load-modules.ts';
import { readManifest } from '../../server/src/loader/manifest.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { actions } from './actions.ts';

const folder = import.meta.dirname;
const load = async (alias: string) => {
  const home = join(folder, '..', alias);
  return loadModule(home, await readManifest(join(home, 'module.json')));
};
const real = await Promise.all(['conversations', 'customers', 'identity'].map(load));

const events = ['created', 'message_created', 'assigned', 'status_changed', 'deleted'].map(
  (verb) => `conversation.${verb}` as 'conversation.created',
);
const received: { name: string; payload: Record<string, unknown> }[] = [];
let refuse = false;
const listen = async (_: Ctx, payload: unknown, { name }: Delivery) => {
  if (refuse) throw new Error('the listener refuses');
  received.push({ name, payload: payload as Record<string, unknown> });
};

const onBus = Object.entries<Action>(actions).flatMap(([name, { bus }]) => (bus ? [name] : []));
/** A module that calls conversations over the bus. */
const helpdesk: LoadedModule = {
  alias: 'helpdesk',
  folder,
  manifest: {
    name: 'Helpdesk',
    alias: 'helpdesk',
    version: '1.0.0',
    description: 'Uses conversations.',
    compatibility: { platform: '^1.0.0' },
    auto_install: true,
    api: { consumes: onBus },
    events: { listens: [...events] },
  },
  definition: defineModule({ listeners: events.map((event) => inTransaction(event, `${event} within`, listen)) }),
  migrations: { owner: 'helpdesk', migrations: [] },
};

const platform = await startPlatform({ modules: [...real, helpdesk] });
const acme = await platform.tenant();
const all = ['view', 'reply', 'assign', 'close'].map((verb) => `conversations.${verb}`);

function createContext(...permissions: string[]): Ctx {
  const { caller: user } = platform.identity.mint();
  const membership = { role: 'Test', permissions: new Set(permissions) };
  return new Context(platform.kernel, { requestId: 'test', module: 'helpdesk', tenant: acme, user, membership });
}
const ctx = createContext(...all);

test('another module can start, read, answer, close, list and count conversations', async () => {
  const begun = await ctx.bus.call('conversations.create', { customer: { first_name: 'Asha' }, channel: 'webchat' });
  const { id, customer_id } = begun;
  expect(begun).toMatchObject({ subject: '', status: 'open', customer: { first_name: 'Asha' }, messages: [] });
  const replied = await ctx.bus.call('conversations.reply', { id, body: 'Hello' });
  expect(replied).toMatchObject({
    conversation: { message_count: 1 },
    conversation_message: { direction: 'outbound' },
  });
  expect(await ctx.bus.call('conversations.updateStatus', { id, status: 'pending' })).toMatchObject({
    status: 'pending',
  });
  expect(await ctx.bus.call('conversations.assign', { id, assignee_id: null })).toMatchObject({ assignee_id: null });
  const { messages, reply_delivery: _, ...shown } = await ctx.bus.call('conversations.get', { id });
  expect(messages).toEqual([replied.conversation_message]);
  expect(await ctx.bus.call('conversations.list', { customer_id })).toEqual({
    conversations: [shown],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 1 },
  });
  const counts = { total: 1, counts: { open: 0, pending: 1, closed: 0 } };
  expect(await ctx.bus.call('conversations.count', { customer_id })).toEqual(counts);
  expect(await ctx.bus.call('conversations.count', {})).toEqual(counts);
});

test("a call joins the caller's transaction and is rolled back with it", async () => {
  const before = await ctx.bus.call('conversations.count', {});
  const work = ctx.tx(async (tx) => {
    const { id } = await tx.bus.call('conversations.create', { customer: {}, channel: 'sms', message: { body: 'x' } });
    expect((await tx.bus.call('conversations.get', { id })).message_count).toBe(1);
    throw new Error('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(await ctx.bus.call('conversations.count', {})).toEqual(before);
});

test.each([
  ['conversations.get', 'conversations.view'],
  ['conversations.reply', 'conversations.reply'],
  ['conversations.assign', 'conversations.assign'],
  ['conversations.updateStatus', 'conversations.close'],
] as const)('%s needs %s', async (name, permission) => {
  const { id } = await ctx.bus.call('conversations.create', { customer: {}, channel: 'sms' });
  const input = { id, body: 'x', assignee_id: null, status: 'open' as const };
  const others = createContext(...all.filter((one) => one !== permission));
  await expect(others.bus.call(name, input)).rejects.toMatchObject({ code: 'auth.forbidden' });
  await createContext(permission).bus.call(name, input);
});

test('listeners receive events in order and can reject a change', async () => {
  const agent = acme.caller(...all, 'conversations.delete');
  received.length = 0;
  const url = '/api/v1/conversations';
  const { body } = await agent.post(url, {
    customer: {},
    channel: 'email',
    message: { body: 'Hi', direction: 'inbound' },
  });
  const at = `${url}/${body.conversation.id}`;
  await agent.post(`${at}/close`);
  await agent.post(`${at}/close`);
  await agent.post(`${at}/messages`, { body: 'Again', direction: 'inbound' });
  await agent.patch(at, { subject: 'Quiet' });
  await agent.post(`${at}/assign`, { assignee_id: null });
  await agent.delete(at);
  expect(received).toMatchObject([
    { name: 'conversation.created', payload: { conversation: { message_count: 1, channel: 'email' } } },
    { name: 'conversation.message_created', payload: { message: { body: 'Hi' }, conversation: { message_count: 1 } } },
    { name: 'conversation.status_changed', payload: { previous_status: 'open', conversation: { status: 'closed' } } },
    { name: 'conversation.message_created', payload: { message: { body: 'Again' }, conversation: { status: 'open' } } },
    { name: 'conversation.status_changed', payload: { previous_status: 'closed', conversation: { status: 'open' } } },
    { name: 'conversation.deleted', payload: { conversation: { subject: 'Quiet' } } },
  ]);
  refuse = true;
  onTestFinished(() => {
    refuse = false;
  });
  const before = await ctx.bus.call('conversations.count', {});
  expect((await agent.post(url, { customer: {}, channel: 'sms' })).status).toBe(500);
  expect(await ctx.bus.call('conversations.count', {})).toEqual(before);
});
