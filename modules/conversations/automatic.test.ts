import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { startCustomerMails } from '../../server/testing/customer-mails.ts';
import { eventually } from '../../server/testing/eventually.ts';
import type { TestTenant } from '../../server/testing/platform.ts';
import { newAddress, receive as receiveFor } from '../../server/testing/received-messages.ts';
import { isOpenAt, toLocalTime } from './opening-hours.ts';
import type { Conversation, Message, Received } from './schemas.ts';

const mails = await startCustomerMails();
afterAll(() => mails.close());
const platform = await startAccounts({ environment: { MAIL_URL: mails.url } });
const url = '/api/v1/conversations';

let acme: TestTenant;
let owner: Person;
beforeEach(async () => {
  acme = await platform.tenant();
  owner = await platform.person({ tenant: acme });
});

const receive = (fields: Partial<Received> = {}) => receiveFor(acme, { subject: 'Tea', ...fields });
const show = async (id: string): Promise<Conversation & { messages: Message[] }> =>
  (await owner.get(`${url}/${id}`)).body.conversation;
const assignee = async ({ conversation_id }: { conversation_id: string }) => (await show(conversation_id)).assignee_id;
const set = async (settings: object) => {
  expect(await owner.patch('/api/v1/settings', settings)).toMatchObject({ status: 200 });
};
const agents = (...names: string[]) =>
  Promise.all(names.map((name) => platform.person({ tenant: acme, role: 'Agent', name })));

describe('assignment', () => {
  test('is off at first', async () => {
    expect(await assignee(await receive())).toBeNull();
  });

  test('in turn gives everybody the same number, also of messages at the same time', async () => {
    await set({ 'conversations.assignment': 'round_robin' });
    const team = [owner, ...(await agents('Asha', 'Ravi', 'Meera'))];
    await platform.person({ tenant: acme, role: 'Viewer' });
    const received = await Promise.all(Array.from({ length: 24 }, () => receive()));
    const assignees = await Promise.all(received.map(assignee));
    const counts = team.map(({ id }) => assignees.filter((one) => one === id).length);
    expect(counts).toEqual([6, 6, 6, 6]);
  });

  test('passes over members who are not available', async () => {
    await set({ 'conversations.assignment': 'round_robin' });
    const [asha, ravi] = (await agents('Asha', 'Ravi')) as [Person, Person];
    await owner.post(`${url}/availability`, { is_available: false });
    expect((await asha.post(`${url}/availability`, { is_available: false })).body.agents).toHaveLength(3);
    expect([await assignee(await receive()), await assignee(await receive())]).toEqual([ravi.id, ravi.id]);
    expect((await owner.post(`${url}/availability`, { user_id: asha.id, is_available: true })).status).toBe(200);
    const { agents: listed } = (await ravi.get(`${url}/agents`)).body;
    const available = listed.filter(({ is_available }: { is_available: boolean }) => is_available);
    expect(available.map(({ user }: { user: Person }) => user.name).toSorted()).toEqual(['Asha', 'Ravi']);
    expect(await assignee(await receive())).toBe(asha.id);
    await ravi.post(`${url}/availability`, { is_available: false });
    await asha.post(`${url}/availability`, { is_available: false });
    expect(await assignee(await receive())).toBeNull();
  });

  test('by a rule comes first, if its member is available', async () => {
    const [asha, ravi] = (await agents('Asha', 'Ravi')) as [Person, Person];
    const rules = [
      { channel: 'sms', words: ['refund', 'money back'], assignee_id: asha.id },
      { channel: 'sms', assignee_id: ravi.id },
    ];
    await set({ 'conversations.assignment_rules': rules });
    const sms = (body: string) => {
      const contact = `+9198${Math.floor(Math.random() * 1e8 + 1e8)
        .toString()
        .slice(-8)}`;
      return receive({ channel: 'sms', contact, customer: { phone: contact }, body });
    };
    expect(await assignee(await sms('I want my MONEY BACK'))).toBe(asha.id);
    expect(await assignee(await sms('Hello'))).toBe(ravi.id);
    expect(await assignee(await receive({ body: 'refund' }))).toBeNull();
    await asha.post(`${url}/availability`, { is_available: false });
    expect(await assignee(await sms('refund'))).toBe(ravi.id);
  });

  test('leaves assigned conversations and automatic messages alone', async () => {
    const { conversation_id } = await receive({ external_id: 'email:one@shop' });
    const [asha] = (await agents('Asha')) as [Person];
    await owner.post(`${url}/${conversation_id}/assign`, { assignee_id: asha.id });
    await owner.post(`${url}/availability`, { user_id: asha.id, is_available: false });
    await set({ 'conversations.assignment': 'round_robin' });
    expect(await assignee(await receive({ answers: ['email:one@shop'] }))).toBe(asha.id);
    expect(await assignee(await receive({ is_automatic: true }))).toBeNull();
    expect(await assignee(await receive())).toBe(owner.id);
  });

  test('of another member needs conversations.assign, and a member of the team', async () => {
    const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
    expect(await viewer.post(`${url}/availability`, { is_available: false })).toMatchObject({ status: 403 });
    const unknown = await owner.post(`${url}/availability`, { user_id: viewer.id, is_available: false });
    expect(unknown).toMatchObject({ status: 422, body: { errors: { user_id: [expect.any(String)] } } });
  });
});

test('a message of a program does not reopen, wake or count as waiting, and nobody is notified', async () => {
  const contact = newAddress();
  const answers = ['email:asked@shop'];
  const { conversation_id: id } = await receive({ contact, external_id: 'email:asked@shop' });
  const state = async () => {
    const { status, is_snoozed, is_unread, waiting_since } = await show(id);
    return { status, is_snoozed, is_unread, isWaiting: waiting_since !== null };
  };
  const notified = async () =>
    (await owner.get('/api/v1/notifications?type=conversation.message_received')).body.notifications[0]?.count ?? 0;
  await eventually(async () => expect(await notified()).toBe(1));
  await owner.post(`${url}/${id}/messages`, { body: 'It left us on Tuesday.' });
  await owner.post(`${url}/${id}/snooze`, {});
  const away = { contact, answers, body: 'I am out of the office.', is_automatic: true };
  await receive(away);
  expect(await state()).toEqual({ status: 'open', is_snoozed: true, is_unread: false, isWaiting: false });
  await owner.post(`${url}/${id}/close`);
  await receive(away);
  expect(await state()).toMatchObject({ status: 'closed', is_unread: false });
  expect(await show(id)).toMatchObject({ message_count: 4, messages: [{ is_automatic: true }, {}, {}, {}] });
  await receive({ contact, answers, body: 'Thank you.' });
  expect(await state()).toEqual({ status: 'open', is_snoozed: false, is_unread: true, isWaiting: true });
  await eventually(async () => expect(await notified()).toBe(2));
});

describe('outside the opening hours', () => {
  const answer = 'We are back at nine.';
  const inDays = (days: number) => toLocalTime(new Date(Date.now() + days * 24 * 3_600_000), 'Asia/Kolkata');
  const openOn = (...days: number[]) =>
    set({ 'conversations.opening_hours': [{ days: days.map((n) => inDays(n).weekday), from: '00:00', to: '24:00' }] });
  beforeEach(async () => {
    await set({ 'general.timezone': 'Asia/Kolkata', 'conversations.closed_answer': answer });
    await openOn(3);
  });
  const answers = async ({ conversation_id }: { conversation_id: string }) =>
    (await show(conversation_id)).messages.filter(({ direction }) => direction === 'outbound');

  test('a message is answered once a day, and the customer still waits for a member', async () => {
    const contact = newAddress();
    const write = () => receive({ contact, external_id: `email:${randomUUID()}`, answers: ['email:first@shop'] });
    const first = await receive({ contact, external_id: 'email:first@shop' });
    expect(await answers(first)).toMatchObject([
      { body: answer, is_automatic: true, user_id: null, delivery_status: expect.stringMatching(/queued|sent/) },
    ]);
    await Promise.all([write(), write(), write()]);
    expect(await answers(first)).toHaveLength(1);
    expect((await show(first.conversation_id)).waiting_since).not.toBeNull();
    const other = await receive({ contact });
    expect(other.conversation_id).not.toBe(first.conversation_id);
    expect(await answers(other)).toEqual([]);
    expect(await mails.find(answer)).toMatchObject({
      subject: 'Re: Tea',
      to: [{ address: contact }],
      headers: expect.arrayContaining([
        { key: 'auto-submitted', originalKey: 'Auto-Submitted', value: 'auto-replied' },
      ]),
    });
  });

  test('a message at the same time as another of the conversation is answered once', async () => {
    const contact = newAddress();
    const first = await receive({ contact, external_id: 'email:begin@shop', is_automatic: true });
    expect(await answers(first)).toEqual([]);
    await Promise.all(Array.from({ length: 6 }, () => receive({ contact, answers: ['email:begin@shop'] })));
    expect(await answers(first)).toHaveLength(1);
  });

  test('STOP by SMS is not answered, other messages are', async () => {
    await owner.put('/api/v1/message-providers/webhook', { url: 'https://sms.invalid/' });
    await set({ 'notifications.sms_provider': 'webhook' });
    const contact = '+919876500001';
    const sms = (body: string) => receive({ channel: 'sms', contact, customer: { phone: contact }, body });
    expect(await answers(await sms('STOP'))).toEqual([]);
    expect(await answers(await sms('Hello'))).toMatchObject([{ body: answer }]);
  });

  test('no message of a program, none within the hours and none that cannot be sent is answered', async () => {
    expect(await answers(await receive({ is_automatic: true }))).toEqual([]);
    expect(await answers(await receive({ channel: 'phone' }))).toEqual([]);
    await openOn(-1, 0, 1);
    expect(await answers(await receive())).toEqual([]);
    await set({ 'conversations.holidays': [inDays(0).date, inDays(1).date] });
    expect(await answers(await receive())).toHaveLength(1);
  });

  test.each([
    ['conversations.opening_hours', [{ days: ['someday'], from: '09:00', to: '18:00' }]],
    ['conversations.opening_hours', [{ days: ['mon'], from: '9', to: '18:00' }]],
    ['conversations.opening_hours', 'always'],
    ['conversations.holidays', ['Christmas']],
    ['conversations.assignment', 'fair'],
    ['conversations.assignment_rules', [{ channel: 'pigeon', assignee_id: 1 }]],
  ])('%s cannot be %j', async (key, value) => {
    expect(await owner.patch('/api/v1/settings', { [key]: value })).toMatchObject({ status: 422 });
  });
});

test.each([
  ['2026-11-23T03:29:00Z', false],
  ['2026-11-23T03:30:00Z', true],
  ['2026-11-23T12:29:00Z', true],
  ['2026-11-23T12:30:00Z', false],
  // Friday night, and the hour after it.
  ['2026-11-27T17:00:00Z', true],
  ['2026-11-27T19:29:00Z', true],
  ['2026-11-27T19:30:00Z', false],
  ['2026-11-22T10:00:00Z', false],
])('at %s in Kolkata it is open: %s', (at, isOpen) => {
  const hours = [
    { days: ['mon' as const], from: '09:00', to: '18:00' },
    { days: ['fri' as const], from: '22:00', to: '01:00' },
  ];
  expect(isOpenAt(toLocalTime(new Date(at), 'Asia/Kolkata'), hours, [])).toBe(isOpen);
});
