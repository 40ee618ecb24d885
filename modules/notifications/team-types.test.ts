import { afterAll, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';
import { startCustomerMails } from '../../server/testing/customer-mails.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { uniqueId } from '../../server/testing/platform.ts';

const mails = await startCustomerMails();
afterAll(() => mails.close());
const platform = await startAccounts({ environment: { MAIL_URL: mails.url } });
const acme = await platform.tenant();
const asha = await platform.person({ tenant: acme });
const customer = { phone: '+919876543210', first_name: 'Meera', last_name: 'Nair' };

const listed = async (person: Person, type: string) =>
  (await person.get(`/api/v1/notifications?type=${type}`)).body.notifications;
const notified = (person: Person, type: string, expected: object) =>
  eventually(async () => expect(await listed(person, type)).toMatchObject([expected]));

async function conversation(fields: object = {}) {
  const { status, body } = await asha.post('/api/v1/conversations', { customer, channel: 'email', ...fields });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.conversation;
}

test('a message of a customer goes to the assignee, without one to all who may answer', async () => {
  const [agent, other, viewer] = [
    await platform.person({ tenant: acme, role: 'Agent' }),
    await platform.person({ tenant: acme, role: 'Agent' }),
    await platform.person({ tenant: acme, role: 'Viewer' }),
  ];
  const type = 'conversation.message_received';
  const { id } = await conversation();
  const write = (body: string) => asha.post(`/api/v1/conversations/${id}/messages`, { body, direction: 'inbound' });
  expect((await write('Where is my order?')).status).toBe(201);
  const first = { title: 'New message from Meera Nair', action_url: `/conversations/${id}`, count: 1 };
  await notified(agent, type, first);
  await notified(other, type, first);
  expect(await listed(viewer, type)).toEqual([]);
  expect((await asha.post(`/api/v1/conversations/${id}/assign`, { assignee_id: agent.id })).status).toBe(200);
  await write('Hello?');
  await notified(agent, type, { title: '2 new messages from customers', count: 2, action_url: '/conversations' });
  expect(await listed(other, type)).toMatchObject([{ count: 1 }]);
});

test('a mention in a note notifies the colleague, not the writer and not a namesake', async () => {
  const ravi = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravi' });
  const ravindra = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravindra' });
  const { id } = await conversation();
  await asha.post(`/api/v1/conversations/${id}/messages`, { body: 'Please call, @ravi.', direction: 'note' });
  await notified(ravi, 'conversation.mentioned', {
    title: 'You were mentioned in a note about Meera Nair',
    data: { conversation_id: id },
  });
  expect(await listed(ravindra, 'conversation.mentioned')).toEqual([]);
});

test('payments, failed orders and low stock are notifications with their link', async () => {
  const sku = `T-${uniqueId()}`;
  const stock = { price: '20.00', stock: 9 };
  const product = (await asha.post('/api/v1/products', { title: 'Green tea', sku, ...stock })).body.product;
  const items = [{ variant_id: product.variants[0].id, quantity: 4 }];
  const { body } = await asha.post('/api/v1/orders', { customer, items, track_stock: true });
  const { id, order_number } = body.order;
  const link = { action_url: `/orders/${id}` };
  // One that is pending is not received.
  const payments = `/api/v1/orders/${id}/payments`;
  const cheque = await asha.post(payments, { amount: '20.00', method: 'cheque', status: 'pending' });
  await asha.post(payments, { amount: '30.00', method: 'cash' });
  const payment = `INR 30.00 received from Meera Nair for order ${order_number}`;
  await notified(asha, 'order.payment_added', { ...link, title: payment, severity: 'success' });
  await asha.patch(`${payments}/${cheque.body.payment.id}`, { status: 'succeeded' });
  await notified(asha, 'order.payment_added', { title: '2 payments received', count: 2 });
  const low = { title: `Green tea (${sku}): 5 left`, action_url: `/products/${product.id}` };
  await notified(asha, 'product.low_stock', low);
  expect((await asha.post(`/api/v1/orders/${id}/status`, { status: 'failed' })).status).toBe(200);
  const failed = `Order ${order_number} from Meera Nair failed: INR 80.00`;
  await notified(asha, 'order.failed', { ...link, title: failed, severity: 'error' });
});

test('an import tells the one who has started it how it went', async () => {
  const other = await platform.person({ tenant: acme });
  const csv = `sku,title,price\r\nC-${uniqueId()},Cup,5.00\r\nC-${uniqueId()},Cup,much\r\n`;
  const headers = { 'content-type': 'text/csv' };
  const send = (url: string, payload: string) => asha.request({ method: 'POST', url, payload, headers });
  expect((await send('/api/v1/products/import', csv)).status).toBe(200);
  await notified(asha, 'product.import_finished', {
    title: 'The import of products has finished: 1 row failed',
    body: '1 created, 0 updated, 0 unchanged, 1 failed',
    severity: 'warning',
  });
  expect(await listed(other, 'product.import_finished')).toEqual([]);
  const customers = `email,first_name\r\n${uniqueId()}@example.com,Ravi\r\n`;
  expect((await send('/api/v1/customers/import', customers)).status).toBe(200);
  await notified(asha, 'customer.import_finished', {
    title: 'The import of customers has finished',
    body: '1 created, 0 updated, 0 unchanged, 0 failed',
    severity: 'success',
    action_url: '/customers',
  });
  expect(await listed(other, 'customer.import_finished')).toEqual([]);
});

test('reviewers of a reseller hear of an application', async () => {
  const reseller = await platform.tenant({ role: 'reseller' });
  const [owner, agent] = [
    await platform.person({ tenant: reseller }),
    await platform.person({ tenant: reseller, role: 'Agent' }),
  ];
  const { body } = await owner.post('/api/v1/admin/referral-codes', { kyc_required: false, auto_approve: false });
  const applicant = { business_name: 'Tea House', contact_name: 'Ravi', email: `${uniqueId()}@example.com` };
  const payload = { referral_code: body.referral_code.code, ...applicant };
  const apply = (fields = {}) =>
    platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload: { ...payload, ...fields } });
  const { application_id } = (await apply()).body;
  const action_url = `/applications/${application_id}`;
  await notified(owner, 'application.submitted', { title: 'Application of Tea House', action_url });
  await apply({ email: `${uniqueId()}@example.com` });
  const several = { title: '2 new applications', action_url: '/applications?status=pending' };
  await notified(owner, 'application.submitted', several);
  expect(await listed(agent, 'application.submitted')).toEqual([]);
});

test('a reply that cannot be delivered is reported to its author and the assignee, with its conversation', async () => {
  const role = 'Agent';
  const [author, assignee, other] = [
    await platform.person({ tenant: acme, role }),
    await platform.person({ tenant: acme, role }),
    await platform.person({ tenant: acme, role }),
  ];
  const fail = async (by: Person) => {
    const { id } = await conversation({ customer: { email: `${uniqueId()}@example.com`, first_name: 'Meera' } });
    await asha.post(`/api/v1/conversations/${id}/assign`, { assignee_id: assignee.id });
    const { body } = await by.post(`/api/v1/conversations/${id}/messages`, { body: 'It left us on Tuesday.' });
    const bounce = { id: body.conversation_message.id, reason: 'There is no such mailbox.' };
    await acme.context('notifications').bus.call('notifications.recordBounce', bounce);
    return id;
  };
  const type = 'conversation.reply_failed';
  const first = await fail(author);
  const expected = {
    title: 'A reply to Meera was not delivered',
    body: 'There is no such mailbox.',
    severity: 'error',
    action_url: `/conversations/${first}`,
  };
  await notified(author, type, expected);
  await notified(assignee, type, expected);
  await fail(other);
  const several = { title: '2 replies were not delivered', action_url: '/conversations?failed=true', count: 2 };
  await notified(assignee, type, several);
  await notified(other, type, { count: 1 });
  expect(await listed(author, type)).toMatchObject([{ count: 1 }]);
  for (const person of [asha, other]) expect(await listed(person, 'message.failed')).toEqual([]);
});

test('another message that cannot be delivered is reported to those who may send', async () => {
  const agent = await platform.person({ tenant: acme, role: 'Agent' });
  await asha.patch('/api/v1/settings', { 'notifications.sms_provider': 'twilio' });
  await acme
    .context('notifications')
    .bus.call('notifications.send', { channel: 'sms', to: '+919876543210', message: 'Hello', customer_id: null });
  await notified(asha, 'message.failed', { title: 'SMS to a customer was not delivered', severity: 'error' });
  expect(await listed(agent, 'message.failed')).toEqual([]);
});

test('erasing a customer erases the notifications that name the customer', async () => {
  const beta = await platform.tenant();
  const owner = await platform.person({ tenant: beta });
  const items = [{ name: 'Tea', quantity: 1, price: '10.00' }];
  const { body } = await owner.post('/api/v1/orders', { customer, items });
  await notified(owner, 'order.created', { title: expect.stringContaining('Meera Nair') });
  const { customer_id } = body.order;
  expect((await owner.delete(`/api/v1/customers/${customer_id}?mode=anonymize`)).status).toBe(200);
  expect(await listed(owner, 'order.created')).toEqual([]);
});
