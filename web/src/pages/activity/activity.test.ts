import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('the activity', () => {
  let platform: Console;

  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  /** An order that Ravi has created and Asha has cancelled. */
  async function fill() {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const owner = await platform.person({ tenant: acme });
    const ravi = await platform.person({ tenant: acme, role: 'Agent', name: 'Ravi Menon' });
    const { body } = await ravi.post('/api/v1/orders', {
      customer: { first_name: 'Bindu', last_name: 'Nair', phone: '+919876543210' },
      items: [{ name: 'Tea', quantity: 1, price: '10' }],
    });
    await ravi.post(`/api/v1/orders/${body.order.id}/refund`, { amount: '1' });
    await owner.patch(`/api/v1/customers/${body.order.customer_id}`, { last_name: 'Menon', notes: 'Calls back' });
    await owner.post(`/api/v1/orders/${body.order.id}/cancel`, { reason: 'Out of stock' });
    await platform.kernel.audit.flush();
    return { acme, owner, ravi, order: body.order };
  }

  test('is told in sentences, with links, and filtered by person, thing and time', async () => {
    const { acme, owner, ravi, order } = await fill();
    const page = await platform.openAs(owner, acme, '/activity');
    const rows = page.locator('tbody [data-row]');
    const texts = async () => (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    const number = order.order_number;
    await page.getByText(`You cancelled order ${number}`).waitFor();
    await page.getByText(`Ravi Menon created order ${number}`).waitFor();
    await page.getByText(`Ravi Menon was not allowed to refund order ${number}`).waitFor();
    await page.getByText('You changed the notes and last name of Bindu Menon').waitFor();
    await inspect(page, 'activity');

    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Person').selectOption('Ravi Menon');
    await page.getByLabel('Thing').selectOption('Orders');
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => expect(await rows.count()).toBe(2));
    for (const text of await texts()) expect(text).toContain('Ravi Menon');
    expect(new URL(page.url()).searchParams.get('user_id')).toBe(String(ravi.id));
    await page.goto(`${platform.origin}/activity?to=2020-01-01`);
    await page.getByRole('button', { name: 'Show all changes' }).click();
    await page.getByText(`You cancelled order ${number}`).waitFor();
    await page.goto(`${platform.origin}/activity?outcome=refused`);
    await eventually(async () => expect(await rows.count()).toBe(1));

    await page.goto(`${platform.origin}/activity?resource=customers&user_id=${owner.id}`);
    await rows.first().getByRole('link').first().click();
    const changes = page.getByRole('table', { name: 'What changed' });
    await changes.getByRole('row', { name: 'last name Not recorded: personal data' }).waitFor();
    await inspect(page, 'activity-change');
    await page.getByRole('link', { name: 'All changes of this record' }).click();
    await eventually(() => expect(new URL(page.url()).searchParams.get('resource_id')).toBe(order.customer_id));

    await page.goto(`${platform.origin}/activity`);
    await page
      .getByRole('link', { name: `order ${number}` })
      .first()
      .click();
    await heading(page, `Order ${number}`).waitFor();
    // The same sentences are on Home.
    await page.goto(platform.origin);
    await page.getByText(`You cancelled order ${number}`).waitFor();
  });

  test('is exported with its filters', async () => {
    const { acme, owner } = await fill();
    const page = await platform.openAs(owner, acme, `/activity?resource=orders&outcome=ok`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    const [names, ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
    expect(names).toContain('action');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/orders\.(create|cancel)/);
  });

  test('sign-ins and changes of the team are beside it, also for those who may see only them', async () => {
    const { acme, owner, ravi } = await fill();
    await owner.patch(`/api/v1/team/${ravi.id}`, { role: 'Manager' });
    await owner.post('/api/v1/invitations', { email: 'dev@example.com', role: 'Agent' });
    const page = await platform.openAs(ravi, acme, '/activity');
    await page.getByText('Asha Rao changed the role of Ravi Menon from Agent to Manager').waitFor();
    await page.getByText('Asha Rao invited dev@example.com as Agent').waitFor();
    expect(new URL(page.url()).pathname).toBe('/activity/accounts');
    expect(await page.getByRole('link', { name: 'Changes' }).count()).toBe(0);
    await inspect(page, 'activity-accounts');
    const agent = await platform.person({ tenant: acme, role: 'Agent' });
    const refused = await platform.openAs(agent, acme, '/activity');
    await refused.getByText('You do not have access to this page').waitFor();
  });

  test('says when there is none, and when it cannot be read', async () => {
    const empty = await platform.tenant({ name: 'New Stores' });
    const owner = await platform.person({ tenant: empty });
    const page = await platform.openAs(owner, empty, '/activity');
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    await inspect(page, 'activity-empty');
    await page.route('**/api/v1/audit?*', (route) => route.fulfill({ status: 500, json: { message: 'Broken.' } }));
    await page.reload();
    await page.getByRole('alert').waitFor();
  });
});
