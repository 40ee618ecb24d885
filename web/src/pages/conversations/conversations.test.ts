import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { startCustomerMails } from '../../../../server/testing/customer-mails.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, sizes, startConsole } from '../../../testing/console.ts';

const url = '/api/v1/conversations';

describe.skipIf(!chromiumPath)('conversations', async () => {
  const mails = await startCustomerMails();
  afterAll(() => mails.close());
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ environment: { MAIL_URL: mails.url } });
    return () => platform.close();
  });

  async function inbox() {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    const start = async (customer: object, subject: string, body?: string, channel = 'whatsapp'): Promise<string> => {
      const message = body === undefined ? {} : { message: { direction: 'inbound', body } };
      const answer = await asha.post(url, { customer, channel, subject, ...message });
      expect(answer.status).toBe(201);
      return answer.body.conversation.id;
    };
    const write = async (id: string, body: string, direction = 'inbound', by: Person = asha) =>
      expect((await by.post(`${url}/${id}/messages`, { body, direction })).status).toBe(201);
    return { acme, asha, start, write };
  }

  /** Makes a conversation older by some hours. */
  async function age(acme: TestTenant, id: string, hours: number): Promise<void> {
    const { db } = acme.context('conversations');
    const by = sql`make_interval(hours => ${hours})`;
    await db.run(sql`UPDATE conversation_messages SET sent_at = sent_at - ${by} WHERE conversation_id = ${id}`);
    await db.run(sql`
      UPDATE conversations SET last_message_at = last_message_at - ${by}, created_at = created_at - ${by} WHERE id = ${id}`);
  }

  const priya = { first_name: 'Priya', last_name: 'Nair', email: 'priya.nair@example.com', phone: '+919876543210' };
  const names = (page: Page) => page.getByRole('region', { name: 'Queue' }).getByRole('link');

  test('the queue, the conversation and the customer', async () => {
    const { acme, asha, start, write } = await inbox();
    const vikram = await platform.person({ tenant: acme, role: 'Agent', name: 'Vikram Singh' });
    const long = 'Maximiliana Venkatanarasimharajuvaripeta Subramaniam-Hohenzollern of Thiruvananthapuram';
    const old = await start(
      { first_name: long, email: 'a.very.long.address.of.a.customer.with.many.names@subdomain.example.co.in' },
      'Wholesale prices for brass kadais and the terms of delivery to Thiruvananthapuram by road',
      'Please send me your list, with the terms for more than 200 pieces.',
      'email',
    );
    await age(acme, old, 50);
    const hindi = await start({ first_name: 'बिंदु', last_name: 'शर्मा', phone: '+919812345678' }, '', 'मेरा ऑर्डर कहाँ है?');
    await age(acme, hindi, 3);
    await asha.post(`${url}/${hindi}/assign`, { assignee_id: vikram.id });
    const answered = await start(
      { first_name: 'Rahul', email: 'rahul@example.com' },
      'Invoice',
      'I need it with GST.',
      'email',
    );
    await write(answered, 'Attached to the mail of yesterday.', 'outbound');
    const id = await start(priya, 'Order 1042', 'Namaste, has my order left already?');
    await age(acme, id, 26);
    await write(id, 'It left us on Tuesday with Blue Dart, number 7712 3345.', 'outbound', vikram);
    await write(id, 'Second order of hers that was late. Offer free delivery for the next one.', 'note', vikram);
    await write(id, 'Thank you!\nThe courier says it is still in Pune. Can you call them?');
    await write(id, 'It is a birthday present.');
    await asha.post('/api/v1/orders', { customer: priya, items: [{ name: 'Tea', quantity: 2, price: '649.00' }] });
    const page = await platform.openAs(asha, acme, '/conversations');
    await page.getByRole('button', { name: 'Open 4' }).waitFor();
    await eventually(async () => expect(await names(page).count()).toBe(4));
    expect(await names(page).first().textContent()).toContain('Priya Nair');
    await page.getByText('Waiting 2d').waitFor();
    await inspect(page, 'conversations');

    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, 'Priya Nair').waitFor();
    await page.getByText('Note by Vikram Singh, for the team only').waitFor();
    // Shortly after midnight, 26 hours ago is the day before yesterday.
    await page.getByRole('heading', { name: /^Yesterday$|\d{4}/, level: 2 }).waitFor();
    await page.getByRole('complementary', { name: 'Customer' }).getByText('₹1,298.00').first().waitFor();
    await inspect(page, 'conversation');
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.getByRole('button', { name: 'Show the customer' }).click();
    await page.getByRole('link', { name: 'priya.nair@example.com' }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('pane')).toBe('customer');
    await inspect(page, 'conversation-customer');
    await page.setViewportSize(sizes.wide);
    await page.keyboard.press('Escape');
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/conversations'));

    await page.getByRole('button', { name: 'Unassigned 3' }).click();
    await eventually(async () => expect(await names(page).count()).toBe(3));
    expect(new URL(page.url()).searchParams.get('unassigned')).toBe('true');
    await page.getByRole('button', { name: 'Mine 0' }).click();
    await page.getByText('Nothing is assigned to you').waitFor();
    await page.getByRole('button', { name: 'Open 4' }).click();
    await page.getByRole('searchbox').fill('wholesale');
    await eventually(async () => expect(await names(page).count()).toBe(1));
    await names(page).first().click();
    await heading(page, 'Maximiliana').waitFor();
    await inspect(page, 'conversation-long');
  });

  test('a view with filters is saved for the team; a viewer uses it, reads conversations and can change nothing', async () => {
    const { acme, asha, start } = await inbox();
    const vikram = await platform.person({ tenant: acme, role: 'Viewer', name: 'Vikram Singh' });
    await start(priya, 'Wholesale prices', 'Please send me your list.');
    await start({ first_name: 'Rahul', email: 'rahul@example.com' }, 'Invoice', 'I need it with GST.');
    const page = await platform.openAs(asha, acme, '/conversations?search=wholesale');
    await eventually(async () => expect(await names(page).count()).toBe(1));
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('Wholesale');
    await page.getByLabel('Who sees it').selectOption('The whole team');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Open 2' }).click();
    await eventually(async () => expect(await names(page).count()).toBe(2));
    const { saved_views } = (await asha.get('/api/v1/saved-views?list=conversations.list')).body;
    expect(saved_views).toMatchObject([{ filters: { status: 'open', snoozed: false, search: 'wholesale' } }]);
    await platform.continueAs(page, vikram, acme);
    await page.goto(`${platform.origin}/conversations`);
    await page.getByRole('button', { name: 'Wholesale', exact: true }).click();
    await eventually(async () => expect(await names(page).count()).toBe(1));
    expect(await names(page).first().textContent()).toContain('Priya Nair');

    await names(page).first().click();
    await page.getByRole('log', { name: 'Messages' }).getByText('Please send me your list.').waitFor();
    for (const name of ['Send', 'Log reply', 'Close', 'More', 'New conversation']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    expect(await page.getByLabel('Change the assignee').count()).toBe(0);
    await inspect(page, 'conversation-viewer');
  });

  test('messages of customers and of colleagues appear without a reload, and the queue reorders', async () => {
    const { acme, asha, start, write } = await inbox();
    const vikram = await platform.person({ tenant: acme, role: 'Agent', name: 'Vikram Singh' });
    const first = await start(priya, 'Order 1042', 'Has it left?');
    await start({ first_name: 'Rahul', email: 'rahul@example.com' }, 'Invoice', 'I need it with GST.');
    const page = await platform.openAs(asha, acme, `/conversations/${first}`);
    const other = await platform.openAs(vikram, acme, `/conversations/${first}`);
    await heading(page, 'Priya Nair').waitFor();
    await eventually(async () => expect(await names(page).first().textContent()).toContain('Rahul'));
    // The subscriptions have begun when the first event arrives.
    await other.getByRole('textbox', { name: 'Reply' }).fill('It leaves today.');
    await other.keyboard.press('Control+Enter');
    await page.getByRole('log', { name: 'Messages' }).getByText('It leaves today.').waitFor();
    await eventually(async () => expect(await names(page).first().textContent()).toContain('Priya'));
    await write(first, 'Thank you so much.');
    await page.getByRole('log', { name: 'Messages' }).getByText('Thank you so much.').waitFor();
    await other.getByRole('log', { name: 'Messages' }).getByText('Thank you so much.').waitFor();
    await start({ first_name: 'Meera', email: 'meera@example.com' }, '', 'Do you ship to Goa?');
    await eventually(async () => expect(await names(page).first().textContent()).toContain('Meera'));
    await page.getByRole('button', { name: 'Open 3' }).waitFor();

    await other.keyboard.press('Escape');
    await other.keyboard.press('a');
    await other.getByText('Conversation assigned to you.').waitFor();
    await page.getByRole('button', { name: 'Vikram Singh' }).waitFor();
  });

  test('a long conversation stays at its end, unless the reader has scrolled up', async () => {
    const { acme, asha, start, write } = await inbox();
    const id = await start(priya, 'Many questions', 'Question 1');
    for (let number = 2; number <= 70; number += 1) await write(id, `Question ${number}`);
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    const messages = page.getByRole('log', { name: 'Messages' });
    await messages.getByText('Question 70', { exact: true }).waitFor();
    const distance = () =>
      messages.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await eventually(async () => expect(await distance()).toBeLessThan(2));
    await write(id, 'Question 71');
    await messages.getByText('Question 71', { exact: true }).waitFor();
    await eventually(async () => expect(await distance()).toBeLessThan(2));
    expect(await messages.getByText('Question 1', { exact: true }).count()).toBe(0);

    const read = messages.getByText('Question 45', { exact: true });
    await read.scrollIntoViewIfNeeded();
    const before = await read.boundingBox();
    await write(id, 'Question 72');
    await page.getByRole('button', { name: 'New messages' }).waitFor();
    expect(await read.boundingBox()).toEqual(before);
    await inspect(page, 'conversation-new-below');
    await page.getByRole('button', { name: 'New messages' }).click();
    await eventually(async () => expect(await distance()).toBeLessThan(2));
    await page.getByRole('button', { name: 'New messages' }).waitFor({ state: 'detached' });
    for (let round = 0; round < 2; round += 1) {
      await messages.evaluate((element) => element.scrollTo({ top: 0 }));
      await messages.getByText(round === 0 ? 'Question 20' : 'Question 1', { exact: true }).waitFor();
    }
    expect(await messages.getByRole('article').count()).toBe(72);
  });

  test('a reply is shown at once, kept as a draft, and sent again after a failure', async () => {
    const { acme, asha, start } = await inbox();
    const vikram = await platform.person({ tenant: acme, role: 'Agent', name: 'Vikram Singh' });
    const ravi = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravi Iyer' });
    const id = await start(priya, 'Order 1042', 'Has it left?');
    const other = await start({ first_name: 'Rahul', email: 'rahul@example.com' }, 'Invoice', 'With GST, please.');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    await heading(page, 'Priya Nair').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('It left us on');
    await page.getByRole('link', { name: 'Rahul' }).click();
    await heading(page, 'Rahul').waitFor();
    expect(await page.getByRole('textbox', { name: 'Reply' }).inputValue()).toBe('');
    await page.goto(`${platform.origin}/conversations/${id}`);
    await heading(page, 'Priya Nair').waitFor();
    const box = page.getByRole('textbox', { name: 'Reply' });
    expect(await box.inputValue()).toBe('It left us on');
    await box.fill('It left us on Tuesday.');
    const keys = new Set<string | undefined>();
    let isOffline = true;
    await page.route(`**${url}/*/messages`, (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.add(route.request().headers()['idempotency-key']);
      return isOffline ? route.abort() : route.continue();
    });
    await box.press('Control+Enter');
    expect(await box.inputValue()).toBe('');
    await page.getByText('Sending…').waitFor();
    await page.getByText('Not sent').waitFor();
    await inspect(page, 'conversation-not-sent');
    await page.reload();
    await page.getByText('Not sent').waitFor();
    isOffline = false;
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Not sent').waitFor({ state: 'detached' });
    expect(keys.size).toBe(1);
    const messages = async (of: string) => (await asha.get(`${url}/${of}/messages`)).body.messages;
    await eventually(async () => expect(await messages(id)).toHaveLength(2));
    expect((await messages(id))[0]).toMatchObject({ direction: 'outbound', body: 'It left us on Tuesday.' });
    expect(await page.getByRole('log', { name: 'Messages' }).getByText('It left us on Tuesday.').count()).toBe(1);

    await page.unroute(`**${url}/*/messages`);
    await page.getByText('Note', { exact: true }).click();
    const note = page.getByRole('textbox', { name: 'Note for the team' });
    const colleagues = page.getByRole('listbox', { name: 'Colleagues' });
    await note.fill('Wants GST numbers. ');
    await note.pressSequentially('@');
    await colleagues.getByRole('option').nth(1).waitFor();
    expect(await colleagues.getByRole('option').allTextContents()).toEqual(['Ravi Iyer', 'Vikram Singh']);
    await inspect(page, 'conversation-note');
    await note.press('ArrowDown');
    await note.press('Enter');
    await colleagues.waitFor({ state: 'detached' });
    await note.pressSequentially('and @ra');
    await colleagues.getByRole('option', { name: 'Ravi Iyer' }).click();
    expect(await note.inputValue()).toBe('Wants GST numbers. @Vikram Singh and @Ravi Iyer ');
    // Without a choice, the keys are those of the field.
    await note.pressSequentially('@');
    await colleagues.waitFor();
    await note.press('Escape');
    await colleagues.waitFor({ state: 'detached' });
    await note.press('Backspace');
    await page.getByRole('button', { name: 'Add note' }).click();
    const mentions = [vikram.id, ravi.id].sort((one, two) => one - two);
    await eventually(async () => expect((await messages(id))[0]).toMatchObject({ direction: 'note', mentions }));
    const highlighted = page.getByRole('log').getByRole('strong');
    await eventually(async () => {
      expect(await highlighted.allTextContents()).toEqual(['@Vikram Singh', '@Ravi Iyer']);
    });
    expect(await messages(other)).toHaveLength(1);
  });

  test('a message that one tab is sending is not marked as not sent by another tab', async () => {
    const { acme, asha, start } = await inbox();
    const id = await start(priya, 'Order 1042', 'Has it left?');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    await heading(page, 'Priya Nair').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(`**${url}/*/messages`, async (route) => {
      if (route.request().method() === 'POST') await held.promise;
      return route.continue();
    });
    const box = page.getByRole('textbox', { name: 'Reply' });
    await box.fill('It left us on Tuesday.');
    await box.press('Control+Enter');
    await page.getByText('Sending…').waitFor();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByText('Sending…').waitFor();
    await second.getByRole('log', { name: 'Messages' }).getByText('Has it left?').waitFor();
    expect(await page.getByText('Not sent').count()).toBe(0);
    expect(await second.getByText('Not sent').count()).toBe(0);
    held.resolve();
    for (const tab of [page, second]) await tab.getByText('Sending…').waitFor({ state: 'detached' });
    // A message of a closed page is not being sent.
    const never = Promise.withResolvers<void>();
    await page.unroute(`**${url}/*/messages`);
    await page.route(`**${url}/*/messages`, (route) =>
      route.request().method() === 'POST' ? never.promise : route.continue(),
    );
    await box.fill('And another thing.');
    await box.press('Control+Enter');
    await second.getByText('Sending…').waitFor();
    await page.close();
    await second.reload();
    await second.getByText('Not sent').waitFor();
  });

  test('a canned reply is inserted with the name of the customer, and the conversation is assigned, closed, restored and deleted', async () => {
    const { acme, asha, start } = await inbox();
    await platform.person({ tenant: acme, role: 'Agent', name: 'Vikram Singh' });
    const id = await start(priya, '', 'Do you ship to Goa?');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    await page.getByRole('button', { name: 'Canned replies' }).click();
    await page.getByRole('button', { name: 'New canned reply' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shipping');
    await page.getByLabel('Text', { exact: true }).fill('Dear {name}, we ship everywhere in India.');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Canned replies' }).click();
    await page.getByRole('button', { name: /^Shipping/ }).waitFor();
    await inspect(page, 'conversation-canned');
    await page.getByRole('button', { name: /^Shipping/ }).click();
    expect(await page.getByRole('textbox', { name: 'Reply' }).inputValue()).toBe(
      'Dear Priya, we ship everywhere in India.',
    );
    await page.keyboard.press('Escape');

    const read = async () => (await asha.get(`${url}/${id}`)).body.conversation;
    await page.getByRole('button', { name: 'Unassigned Change the assignee' }).click();
    await page.getByRole('menuitem', { name: 'Vikram Singh' }).click();
    await eventually(async () => expect((await read()).assignee).toMatchObject({ name: 'Vikram Singh' }));
    await page.getByText('Conversation assigned to Vikram Singh.').waitFor();
    await page.keyboard.press('c');
    await page.getByText('Conversation with Priya Nair closed.').waitFor();
    expect((await read()).status).toBe('closed');
    await page.getByText('Nobody is waiting').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => expect((await read()).status).toBe('open'));
    await page.getByRole('button', { name: 'Close', exact: true }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Set to pending' }).click();
    await eventually(async () => expect((await read()).status).toBe('pending'));
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
    await page.getByText('is deleted, with its message.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete conversation' }).click();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/conversations'));
    expect((await asha.get(`${url}/${id}`)).status).toBe(404);
  });

  test('a conversation is started with a known or a new customer, also on the page of a customer or of an order', async () => {
    const { acme, asha } = await inbox();
    const items = [{ name: 'Tea', quantity: 2, price: '649.00' }];
    const { order } = (await asha.post('/api/v1/orders', { customer: priya, items })).body;
    const page = await platform.openAs(asha, acme, '/conversations');
    await page.getByText('Nobody is waiting').waitFor();
    await inspect(page, 'conversations-empty');
    await page.keyboard.press('n');
    await heading(page, 'New conversation').waitFor();
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await page.getByText('Choose a customer, or enter').waitFor();
    await page.getByLabel('Email', { exact: true }).fill('rahul@');
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await inspect(page, 'conversation-new');
    await page.getByLabel('Find a customer').fill('pri');
    await page.getByRole('option', { name: /Priya Nair/ }).click();
    await page.getByText('priya.nair@example.com').waitFor();
    await page.getByLabel('Channel').selectOption('whatsapp');
    await page.getByLabel('Message', { exact: true }).fill('Your order is ready.');
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await heading(page, 'Priya Nair').waitFor();
    await page.getByRole('log', { name: 'Messages' }).getByText('Your order is ready.').waitFor();

    await page.keyboard.press('n');
    await page.getByLabel('First name').fill('Rahul');
    await page.getByLabel('Phone').fill('+919812345670');
    await page.getByLabel('Message', { exact: true }).fill('Welcome!');
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await heading(page, 'Rahul').waitFor();
    expect((await asha.get(url)).body.pagination.total).toBe(2);

    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await page.getByRole('link', { name: 'Priya Nair' }).click();
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByRole('menuitem', { name: 'SMS' }).click();
    await heading(page, 'New conversation').waitFor();
    expect(await page.getByLabel('Channel').inputValue()).toBe('sms');
    await page.getByText('The message will only be logged. SMS is not set up').waitFor();
    await page.goBack();
    await page
      .getByRole('link', { name: `Order ${order.order_number}` })
      .first()
      .click();
    await heading(page, `Order ${order.order_number}`).waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByRole('menuitem', { name: 'Email' }).click();
    expect(await page.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe(`Order ${order.order_number}`);
    await page.getByText('only be logged').waitFor({ state: 'detached' });
    await page.getByLabel('Message', { exact: true }).fill('It leaves today.');
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await heading(page, 'Priya Nair').waitFor();
    expect(new URL(page.url()).search).toBe('');
    const [conversation] = (await asha.get(url)).body.conversations;
    expect(conversation).toMatchObject({ channel: 'email', subject: `Order ${order.order_number}` });
  });

  test('a reply by email is sent with its file, or logged, and says so', async () => {
    const { acme, asha, start } = await inbox();
    const id = await start(priya, 'Order 1042', 'Has it left?', 'email');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    const messages = page.getByRole('log', { name: 'Messages' });
    const box = page.getByRole('textbox', { name: 'Reply' });
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const file = { name: 'label.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') };
    await page.getByLabel('Files to attach').setInputFiles(file);
    await page.getByRole('button', { name: 'Remove label.png' }).waitFor();
    await box.fill('It left us on Tuesday.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await messages.getByText('Sent', { exact: true }).waitFor();
    // The platform of the tests has no address of its own.
    const headers = { 'content-disposition': 'attachment; filename="label.png"' };
    await page.route('**/files/download?*', (route) => route.fulfill({ headers, body: 'leaf' }));
    const download = page.waitForEvent('download');
    await messages.getByRole('button', { name: 'label.png' }).click();
    expect((await download).suggestedFilename()).toBe('label.png');
    await box.fill('I called her.');
    await page.getByRole('button', { name: 'Other ways to add the reply' }).click();
    await page.getByRole('menuitem', { name: 'Log without sending' }).click();
    await messages.getByText('Only logged').waitFor();
    const { db } = acme.context('conversations');
    await db.run(sql`
      UPDATE conversation_messages SET delivery_status = 'failed', delivery_reason = 'The mailbox is full.'
      WHERE delivery_status = 'sent'`);
    const { db: notifications } = acme.context('notifications');
    await notifications.run(sql`UPDATE messages SET status = 'failed'`);
    await page.reload();
    await messages.getByText('The mailbox is full.').waitFor();
    await inspect(page, 'conversation-failed');
    await messages.getByRole('button', { name: 'Try again' }).click();
    await messages.getByText('The mailbox is full.').waitFor({ state: 'detached' });
    await start({ phone: '+919876543299' }, '', 'Hello', 'sms');
    await names(page).filter({ hasText: 'Hello' }).click();
    await page.getByText('This reply will only be logged. SMS is not set up').waitFor();
    await inspect(page, 'conversation-logged');
  });

  test('what came since one looked is unread, and failed deliveries are found', async () => {
    const { acme, asha, start, write } = await inbox();
    const vikram = await platform.person({ tenant: acme, role: 'Agent', name: 'Vikram Singh' });
    const id = await start(priya, 'Order 1042', 'Has it left?');
    const other = await start({ first_name: 'Rahul', email: 'rahul@example.com' }, 'Invoice', 'With GST.', 'email');
    await write(other, 'Attached.', 'outbound', vikram);
    const page = await platform.openAs(asha, acme, '/conversations');
    const item = names(page).filter({ hasText: 'Priya' });
    await item.getByText('Unread').waitFor();
    await inspect(page, 'conversations-unread');
    await item.click();
    await heading(page, 'Priya Nair').waitFor();
    await item.getByText('Unread').waitFor({ state: 'detached' });
    const unread = async (person: Person) => (await person.get(`${url}/${id}`)).body.conversation.is_unread;
    expect([await unread(asha), await unread(vikram)]).toEqual([false, true]);
    // Read at once while the conversation is open.
    await write(id, 'Hello?', 'inbound', vikram);
    await page.getByRole('log', { name: 'Messages' }).getByText('Hello?').waitFor();
    await eventually(async () => expect(await unread(asha)).toBe(false));

    await eventually(async () =>
      expect((await asha.get(`${url}/${other}`)).body.conversation.messages[0].delivery_status).toBe('sent'),
    );
    await acme.context('conversations').db.run(sql`
      UPDATE conversation_messages SET delivery_status = 'failed', delivery_reason = 'The mailbox is full.'
      WHERE conversation_id = ${other} AND direction = 'outbound'`);
    await page.keyboard.press('Escape');
    const filter = async (label: string, option: string) => {
      await page.getByRole('button', { name: /^Filter/ }).click();
      await page.getByLabel(label, { exact: true }).selectOption(option);
      await page.getByRole('button', { name: 'Apply' }).click();
    };
    await filter('Delivery', 'Not delivered');
    await eventually(async () => expect(await names(page).count()).toBe(1));
    expect(await names(page).first().textContent()).toContain('Not delivered');
    expect(new URL(page.url()).searchParams.get('failed')).toBe('true');
    await page.getByRole('button', { name: 'Remove the filter Delivery' }).click();
    await eventually(async () => expect(await names(page).count()).toBe(2));
    await filter('Messages', 'Unread');
    await eventually(async () => expect(await names(page).count()).toBe(1));
    await filter('Channel', 'SMS');
    await page.getByText('No conversation matches').waitFor();
  });

  test('files are dropped and pasted, and pictures are shown before and after they are sent', async () => {
    const { acme, asha, start } = await inbox();
    const id = await start(priya, 'Order 1042', 'Has it left?', 'email');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    const box = page.getByRole('textbox', { name: 'Reply' });
    await box.waitFor();
    const picture = (await page.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } })).toString('base64');
    const give = (event: 'dragover' | 'drop' | 'paste', name: string, type: string) =>
      page.evaluate(`{
        const transfer = new DataTransfer();
        const bytes = Uint8Array.from(atob('${picture}'), (char) => char.charCodeAt(0));
        transfer.items.add(new File([bytes], '${name}', { type: '${type}' }));
        const options = { bubbles: true, cancelable: true, dataTransfer: transfer, clipboardData: transfer };
        document.getElementById('reply').dispatchEvent(
          '${event}' === 'paste' ? new ClipboardEvent('paste', options) : new DragEvent('${event}', options),
        );
      }`);
    await give('dragover', 'label.png', 'image/png');
    await page.getByText('Drop the files to attach them').waitFor();
    await inspect(page, 'conversation-drop');
    await give('drop', 'label.png', 'image/png');
    await page.getByText('Drop the files to attach them').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove label.png' }).waitFor();
    await give('paste', 'photo.png', 'image/png');
    await page.getByRole('button', { name: 'Remove photo.png' }).waitFor();
    await give('drop', 'notes.txt', 'text/plain');
    await page.getByText('notes.txt: only JPEG, PNG, WebP and PDF files can be attached.').waitFor();
    const previews = page.getByRole('list', { name: 'Attached files' }).locator('img');
    expect(await previews.count()).toBe(2);
    expect(await previews.first().getAttribute('src')).toMatch(/^data:image/);
    await box.fill('Here is the label.');
    await inspect(page, 'conversation-previews');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const shown = page.getByRole('log', { name: 'Messages' }).locator('img');
    await eventually(async () => expect(await shown.count()).toBe(2));
    await eventually(async () => expect(await shown.first().evaluate((image) => image.naturalWidth)).toBe(320));
    await inspect(page, 'conversation-pictures');

    // A file needs no text.
    await give('paste', 'receipt.png', 'image/png');
    await page.getByRole('button', { name: 'Remove receipt.png' }).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await eventually(async () => expect(await shown.count()).toBe(3));
    await eventually(async () => expect(await names(page).first().textContent()).toContain('Reply: File'));
  });
});
