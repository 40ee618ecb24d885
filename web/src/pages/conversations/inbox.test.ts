import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { startCustomerMails } from '../../../../server/testing/customer-mails.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

const url = '/api/v1/conversations';
const priya = { first_name: 'Priya', last_name: 'Nair', email: 'priya.nair@example.com' };
const rahul = { first_name: 'Rahul', email: 'rahul@example.com' };

describe.skipIf(!chromiumPath)('working together on conversations', async () => {
  const mails = await startCustomerMails();
  afterAll(() => mails.close());
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ environment: { MAIL_URL: mails.url } });
    return () => platform.close();
  });

  async function inbox() {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme, name: 'Asha Rao' });
    const ravi = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravi' });
    const start = async (customer: object, subject: string, body: string): Promise<string> => {
      const message = { direction: 'inbound', body };
      const { status, body: answer } = await asha.post(url, { customer, channel: 'email', subject, message });
      expect(status).toBe(201);
      return answer.conversation.id;
    };
    const write = async (id: string, body: string, direction: string, by: Person) =>
      expect((await by.post(`${url}/${id}/messages`, { body, direction })).status).toBe(201);
    const read = async (id: string) => (await asha.get(`${url}/${id}`)).body.conversation;
    return { acme, asha, ravi, start, write, read };
  }

  const names = (page: Page) => page.getByRole('region', { name: 'Queue' }).getByRole('link');
  const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
  const choose = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  test('an answer is held back if a colleague was faster, and sent or discarded as its author says', async () => {
    const { acme, asha, ravi, start, write, read } = await inbox();
    const id = await start(priya, 'Order 1042', 'Has it left?');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    await log(page).getByText('Has it left?').waitFor();
    const answers = ['It left this morning.', 'With Blue Dart.'];
    const sent: (string | null | undefined)[] = [];
    await page.route(`**${url}/*/messages`, async (route) => {
      if (route.request().method() === 'POST') {
        sent.push(route.request().postDataJSON().last_message_id);
        const answer = answers.shift();
        if (answer !== undefined) await write(id, answer, 'outbound', ravi);
      }
      return route.continue();
    });
    const seen = (await read(id)).messages[0].id;
    const box = page.getByRole('textbox', { name: 'Reply' });
    await box.fill('It leaves tomorrow.');
    await box.press('Control+Enter');
    await page.getByText('A colleague has answered in the meantime.').waitFor();
    await log(page).getByText('It left this morning.').waitFor();
    expect((await read(id)).message_count).toBe(2);
    await inspect(page, 'conversation-answered-since');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('A colleague has answered in the meantime.').waitFor({ state: 'detached' });

    await box.fill('You get a mail with the number.');
    await box.press('Control+Enter');
    await page.getByRole('button', { name: 'Send anyway' }).click();
    await eventually(async () =>
      expect((await read(id)).messages[0]).toMatchObject({ body: 'You get a mail with the number.', user_id: asha.id }),
    );
    await page.getByText('A colleague has answered in the meantime.').waitFor({ state: 'detached' });
    expect(await log(page).getByText('It leaves tomorrow.').count()).toBe(0);
    expect(await log(page).getByText('You get a mail with the number.').count()).toBe(1);
    expect(sent).toEqual([seen, expect.any(String), undefined]);
    expect(sent[1]).not.toBe(seen);
  });

  test('a snoozed conversation leaves the open ones, is found with a filter, and comes back', async () => {
    const { acme, asha, start, read } = await inbox();
    await start(rahul, 'Invoice', 'I need it with GST.');
    const id = await start(priya, 'Order 1042', 'Has it left?');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    await page.getByRole('button', { name: 'Open 2' }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Next week' }).waitFor();
    await inspect(page, 'conversation-snooze-menu');
    await page.getByRole('menuitem', { name: 'Tomorrow' }).click();
    await page.getByText(/^Conversation snoozed until .*9:00/).waitFor();
    expect(await read(id)).toMatchObject({ is_snoozed: true, status: 'open', snoozed_until: expect.any(String) });
    await page.getByRole('button', { name: 'Open 1' }).waitFor();
    await eventually(async () =>
      expect(await names(page).allTextContents()).toEqual([expect.stringContaining('Rahul')]),
    );
    await page.getByText(/^Snoozed until .*9:00/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Open 2' }).waitFor();
    expect((await read(id)).is_snoozed).toBe(false);

    await choose(page, 'Next week');
    await page.getByText(/^Snoozed until .*9:00/).waitFor();
    await inspect(page, 'conversation-snoozed');
    await choose(page, 'Until the customer writes');
    await page.getByText('Snoozed until the customer writes', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Snooze').selectOption('true');
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () =>
      expect(await names(page).allTextContents()).toEqual([expect.stringContaining('Snoozed')]),
    );
    expect(new URL(page.url()).searchParams.get('snoozed')).toBe('true');
    await inspect(page, 'conversations-snoozed');
    await choose(page, 'End snooze');
    await page.getByText('Conversation is back.').waitFor();
    await page.getByText('No conversation matches').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => expect(await read(id)).toMatchObject({ is_snoozed: true, snoozed_until: null }));
    // The message of the customer wakes it, and all who look see it.
    await asha.post(`${url}/${id}/messages`, { body: 'Hello?', direction: 'inbound' });
    await page.getByText('Snoozed until the customer writes', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open 2' }).waitFor();
  });

  test('a mail is shown as its sender has formatted it, without scripts and pictures of other servers', async () => {
    const { acme, asha, start } = await inbox();
    const id = await start(priya, 'Order 1042', 'Has my order left?');
    const rows = Array.from({ length: 30 }, (_, n) => `<tr><td>${n + 1}</td><td>Brass kadai</td></tr>`).join('');
    const html = `<h2>Has my order left?</h2><p>See <a href="https://example.com/list">my list</a>.</p>
      <img data-remote-src="https://tracker.example/p.gif" alt=""><table>${rows}</table><script>top.isHacked = true</script>`;
    await acme.context('conversations').db.run(sql`
      UPDATE conversation_messages SET html = ${html} WHERE conversation_id = ${id}`);
    await asha.post(`${url}/${id}/messages`, { body: 'It left today.' });
    const page = await platform.openAs(
      asha,
      acme,
      `/conversations/${id}`,
      /Blocked script execution in 'about:srcdoc'/,
    );
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    const button = page.getByRole('button', { name: 'Show formatted mail' });
    await button.waitFor();
    expect(await button.count()).toBe(1);
    await button.click();
    await page.getByText('Pictures of other servers are hidden').waitFor();
    const frame = page.locator('iframe[title="Formatted mail"]');
    await frame.waitFor();
    const measure = () =>
      page.evaluate(`{
        const { contentDocument: { documentElement, body, links, images }, clientHeight } = document.querySelector('iframe');
        ({
          text: body.innerText,
          hidden: documentElement.scrollHeight - clientHeight,
          isHigh: clientHeight > 600,
          background: getComputedStyle(documentElement).backgroundColor,
          links: [...links].map(({ href }) => href),
          images: [...images].map(({ src }) => src),
        })
      }`);
    await eventually(async () =>
      expect(await measure()).toMatchObject({
        text: expect.stringContaining('Has my order left?'),
        hidden: 0,
        isHigh: true,
        background: 'rgb(255, 255, 255)',
        links: ['https://example.com/list'],
        images: [''],
      }),
    );
    expect(await page.evaluate('window.isHacked')).toBeUndefined();
    expect(requested.filter((one) => !one.startsWith(platform.origin))).toEqual([]);
    await inspect(page, 'conversation-formatted');
    // Only a reader who asks for them loads them.
    const picture = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
    await page.route('https://tracker.example/**', (route) =>
      route.fulfill({ body: picture, contentType: 'image/gif' }),
    );
    await page.getByRole('button', { name: 'Show images' }).click();
    await eventually(async () => expect(await measure()).toMatchObject({ images: ['https://tracker.example/p.gif'] }));
    await eventually(() => expect(requested).toContain('https://tracker.example/p.gif'));
    expect(await page.getByText('Pictures of other servers are hidden').count()).toBe(0);
    expect(await page.evaluate('window.isHacked')).toBeUndefined();
    await page.getByRole('button', { name: 'Hide formatted mail' }).click();
    await frame.waitFor({ state: 'detached' });
  });

  test('two conversations of a customer become one, and the search finds texts of messages', async () => {
    const { acme, asha, start, write, read } = await inbox();
    const other = await start(priya, 'And another thing', 'Do you ship to Goa?');
    await start(rahul, 'Invoice', 'I need it with GST.');
    const id = await start(priya, 'Order 1042', 'Has it left?');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    await heading(page, 'Priya Nair').waitFor();
    await page.getByRole('button', { name: 'Open 3' }).waitFor();
    await choose(page, 'Merge another conversation…');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'And another thing' }).check();
    expect(await dialog.getByRole('radio').count()).toBe(1);
    await inspect(page, 'conversation-merge');
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Conversations merged.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await log(page).getByText('Do you ship to Goa?').waitFor();
    await page.getByRole('button', { name: 'Open 2' }).waitFor();
    expect(await read(id)).toMatchObject({ message_count: 2, subject: 'Order 1042' });
    expect((await asha.get(`${url}/${other}`)).status).toBe(404);
    await choose(page, 'Merge another conversation…');
    await dialog.getByText('Priya Nair has no other conversation.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await write(id, 'Offer her free delivery.', 'note', asha);
    await write(id, 'It left today.', 'outbound', asha);
    await page.getByRole('searchbox', { name: 'Search name or text' }).fill('delivery');
    await eventually(async () =>
      expect(await names(page).allTextContents()).toEqual([expect.stringContaining('Priya')]),
    );
  });

  test('one sees who else looks at a conversation, and who is writing', async () => {
    const { acme, asha, ravi, start } = await inbox();
    const id = await start(priya, 'Order 1042', 'Has it left?');
    const page = await platform.openAs(asha, acme, `/conversations/${id}`);
    await log(page).getByText('Has it left?').waitFor();
    const reports: number[] = [];
    const other = await platform.openAs(ravi, acme, `/conversations/${id}`);
    other.on('request', (request) => request.url().endsWith('/typing') && reports.push(Date.now()));
    await page.getByText('Ravi is looking at this conversation').waitFor();
    await other.getByText('Asha Rao is looking at this conversation').waitFor();
    await inspect(page, 'conversation-colleague');
    const box = other.getByRole('textbox', { name: 'Reply' });
    await box.pressSequentially('It left today', { delay: 20 });
    await page.getByText('Ravi is writing…').waitFor();
    expect(reports).toHaveLength(1);
    expect(await other.getByText('is writing').count()).toBe(0);
    // After a pause he only looks again, and then he is gone.
    await page.getByText('Ravi is looking at this conversation').waitFor();
    await other.keyboard.press('Escape');
    await other.keyboard.press('Escape');
    await page.getByText('Ravi is looking at this conversation').waitFor({ state: 'detached' });
    await eventually(() => expect(new URL(other.url()).pathname).toBe('/conversations'));
  });
});
