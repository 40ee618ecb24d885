import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCustomerMails } from '../../../../server/testing/customer-mails.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('rules', async () => {
  const mails = await startCustomerMails();
  afterAll(() => mails.close());
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ environment: { MAIL_URL: mails.url } });
    return () => platform.close();
  });

  async function shop() {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    const customer = {
      first_name: 'Priya',
      last_name: 'Nair',
      email: 'priya.nair@example.com',
      phone: '+919876543210',
    };
    const order = async (price: string) =>
      (await asha.post('/api/v1/orders', { customer, items: [{ name: 'Tea', quantity: 1, price }] })).body.order;
    const rules = async () => (await asha.get('/api/v1/notification-rules')).body.rules;
    return { acme, asha, order, rules };
  }

  test('a mail to customers is written with a preview, created, tested, and its deliveries are listed', async () => {
    const { acme, asha, order, rules } = await shop();
    await order('649.00');
    const page = await platform.openAs(asha, acme, '/rules');
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
    await inspect(page, 'rules-empty');
    await page.keyboard.press('n');
    await heading(page, 'New rule').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Thanks for large orders');
    await page.getByLabel('When', { exact: true }).selectOption('order.created');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field of condition 1').selectOption('order.total');
    await page.getByLabel('Comparison of condition 1').selectOption('gte');
    await page.getByLabel('Value of condition 1').fill('much');
    await page.getByLabel('Text', { exact: true }).fill('Thank you, ');
    await page.getByRole('button', { name: 'customer_name', exact: true }).click();
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('Thank you, {{customer_name}}');
    await page.getByRole('button', { name: 'Create and switch on' }).click();
    await page.getByText('An email must have a subject.').first().waitFor();
    await eventually(async () =>
      expect(await page.getByLabel('Value of condition 1').getAttribute('aria-invalid')).toBe('true'),
    );
    await inspect(page, 'rule-errors');
    await page.getByLabel('Value of condition 1').fill('1000');
    await page.getByLabel('Subject').fill('Your order {{order_number}}');
    await page.getByLabel('Purpose').selectOption('marketing');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Thank you, Priya Nair').waitFor();
    await preview.getByText('which does not meet the conditions').waitFor();
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('Value of condition 1').inputValue()).toBe('1000');
    await inspect(page, 'rule-new');
    await page.getByRole('button', { name: 'Create and switch on' }).click();
    await heading(page, 'Thanks for large orders').waitFor();
    expect(await rules()).toMatchObject([
      {
        event: 'order.created',
        conditions: [{ field: 'order.total', operator: 'gte', value: '1000' }],
        channel: 'email',
        purpose: 'marketing',
        is_active: true,
      },
    ]);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(`A test is on its way to ${asha.email}.`).waitFor();
    await order('1200.00');
    await eventually(async () => {
      const { deliveries } = (await asha.get(`/api/v1/notification-rules/${(await rules())[0].id}/deliveries`)).body;
      expect(deliveries.map(({ status }: { status: string }) => status).sort()).toEqual(['sent', 'skipped']);
    });
    await inspect(page, 'rule');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByText('The customer does not accept marketing messages.').waitFor();
    await inspect(page, 'rule-deliveries');
    await page.getByLabel('Status of the deliveries').selectOption('failed');
    await page.getByText('There is none.').waitFor();
  });

  test('a rule for the team is edited, switched off and on with Undo, found and deleted', async () => {
    const { acme, asha, rules } = await shop();
    const create = (fields: object) => asha.post('/api/v1/notification-rules', { event: 'order.created', ...fields });
    const template = { subject: 'New order', body: '{{order_number}}' };
    await create({ name: 'Tell the managers', channel: 'in_app', recipient: { role: 'Manager' }, template });
    await create({ name: 'बड़े ऑर्डर के लिए धन्यवाद', channel: 'sms', template: { body: 'Thank you' }, is_active: false });
    const page = await platform.openAs(asha, acme, '/rules');
    await page.getByRole('link', { name: 'Tell the managers' }).waitFor();
    await page.getByText('Manager', { exact: true }).waitFor();
    await inspect(page, 'rules');
    await page.getByRole('searchbox').fill('manag');
    await eventually(async () => expect(await page.locator('tbody [data-row]').count()).toBe(1));
    await page.goto(`${platform.origin}/rules?is_active=false`);
    await page.getByRole('link', { name: /धन्यवाद/ }).waitFor();
    expect(await page.locator('tbody [data-row]').count()).toBe(1);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('link', { name: 'Tell the managers' }).click();
    await heading(page, 'Tell the managers').waitFor();
    await page.getByLabel('To', { exact: true }).selectOption(`user:${asha.id}`);
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByText('Rule saved.').waitFor();
    const read = async () => (await rules()).find(({ channel }: { channel: string }) => channel === 'in_app');
    expect(await read()).toMatchObject({ recipient: { user_id: asha.id }, is_active: true });
    await page.getByRole('button', { name: 'Send a test to yourself' }).click();
    await page.getByText('A test is on its way to you.').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Switch off' }).click();
    await page.getByText('Tell the managers switched off.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => expect((await read()).is_active).toBe(true));
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/rules'));
    expect(await read()).toBeUndefined();
  });

  test('those who may not manage rules see which permission is missing, and no entry in the navigation', async () => {
    const { acme } = await shop();
    const vikram = await platform.person({ tenant: acme, role: 'Viewer' });
    const page = await platform.openAs(vikram, acme, '/rules');
    await page.getByText('notifications.rules.manage').waitFor();
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Rules' }).count()).toBe(0);
  });
});
