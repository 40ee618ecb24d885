import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import type { TestTenant } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('settings', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  async function openShop(path: string): Promise<{ page: Page; asha: Person; acme: TestTenant }> {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    return { page: await platform.openAs(asha, acme, path), asha, acme };
  }
  /** Members who use two-factor authentication. */
  async function addMembers(person: Person, members: number): Promise<void> {
    await platform.kernel.central.db.run(sql`
      WITH added AS (
        INSERT INTO users (name, email, two_factor_confirmed_at)
        SELECT 'Member ' || n, 'member' || n || '@example.com', now() FROM generate_series(1, ${members}::integer) n RETURNING id)
      INSERT INTO memberships (tenant_id, user_id, role_id)
      SELECT m.tenant_id, added.id, m.role_id FROM added, memberships m WHERE m.user_id = ${person.id}`);
  }
  async function show(page: Page, title: string): Promise<void> {
    await page.getByRole('link', { name: 'All settings' }).click();
    const main = page.getByRole('main');
    await main.getByRole('link', { name: new RegExp(`^${title}`) }).click();
    await heading(page, title).waitFor();
  }
  const settings = async (person: Person) => (await person.get('/api/v1/settings')).body.settings;

  test('the index leads to every page, and those who may only view settings can change nothing', async () => {
    const { page, acme, asha } = await openShop('/');
    await heading(page, 'Home').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading(page, 'Settings').waitFor();
    for (const title of [
      'General',
      'Security',
      'Domains',
      'Other settings',
      'Checkout',
      'Customers',
      'Taxes',
      'Shipping',
      'Payments',
      'Invoices',
      'Mails to customers',
      'Web chat',
    ]) {
      await page
        .getByRole('main')
        .getByRole('link', { name: new RegExp(`^${title}`) })
        .click();
      await heading(page, title).waitFor();
      await page.getByRole('link', { name: 'All settings' }).click();
    }
    await page.goto(`${platform.origin}/settings/nothing`);
    await page.getByText('There is no such page').waitFor();

    await asha.post('/api/v1/tax-rates/presets/DE', {});
    await asha.post('/api/v1/shipping-zones', { name: 'World', rest_of_world: true });
    const vikram = await platform.person({ tenant: acme, role: 'Viewer', name: 'Vikram Singh' });
    await platform.continueAs(page, vikram, acme);
    await page.goto(`${platform.origin}/settings/taxes`);
    await page.getByText('MwSt.').first().waitFor();
    expect(await page.getByLabel('Prices include tax').isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'All settings' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Shipping' }).click();
    await page.getByText('Rest of the world').waitFor();
    for (const name of ['Save', 'Add rate', 'Add zone', /^Edit/, /^Delete/, /^Actions for/]) {
      expect(await page.getByRole('button', { name }).count(), String(name)).toBe(0);
    }
  });

  test('thresholds, access of unverified members and settings of other modules are changed, and addresses are added and removed', async () => {
    const { page, asha } = await openShop('/settings/customers');
    await page.getByLabel('VIP order threshold').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => expect((await settings(asha))['customers.vip_order_threshold']).toBe(3));
    await show(page, 'Security');
    await page.getByText('0 of 1 members use it.').waitFor();
    await page.getByLabel('Unverified users').selectOption('none');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await eventually(async () => expect((await settings(asha))['security.unverified_users']).toBe('none'));
    await addMembers(asha, 120);
    await page.reload();
    await page.getByText('120 of 121 members use it.').waitFor();
    expect(await page.getByRole('main').getByRole('link', { name: 'Asha' }).count()).toBe(1);
    await show(page, 'Other settings');
    await page.getByRole('heading', { name: 'Notifications' }).waitFor();

    await show(page, 'Domains');
    await page.getByLabel('New address').fill('no spaces please');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('New address').fill('lakshmi-tea');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText(/^lakshmi-tea\..* added\.$/).waitFor();
    await page.getByText('CNAME').waitFor();
    await inspect(page, 'settings-domains');
    await page.getByRole('button', { name: /^Remove lakshmi-tea/ }).click();
    await page.getByRole('button', { name: 'Remove address' }).click();
    await page.getByText(/^lakshmi-tea\.\S+ removed\.$/).waitFor();
    const { body } = await asha.get('/api/v1/domains');
    expect(body.domains.map(({ domain }: { domain: string }) => domain)).not.toContain('lakshmi-tea');
  });

  test('the organization is renamed, and settings are changed, refused at their field, taken back, and described by their modules', async () => {
    const { page, asha } = await openShop('/settings/general');
    await page.getByLabel('Name').fill('Lakshmi & Sons');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Organization saved.').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByText('Lakshmi & Sons').waitFor();
    await page.getByLabel('Locale').fill('nowhere at all');
    await page.getByLabel('Currency').selectOption('EUR');
    await page.getByRole('button', { name: 'Save' }).nth(1).click();
    await eventually(async () => expect(await page.getByLabel('Locale').getAttribute('aria-invalid')).toBe('true'));
    await inspect(page, 'settings-general-errors');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('Currency').inputValue()).toBe('EUR');
    await page.getByLabel('Locale').fill('de-DE');
    await page.getByRole('button', { name: 'Save' }).nth(1).click();
    await page.getByText('Settings saved.').waitFor();
    expect(await settings(asha)).toMatchObject({ 'general.currency': 'EUR', 'general.locale': 'de-DE' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect(await page.getByLabel('Currency').inputValue()).toBe('INR'));
    expect(await settings(asha)).toMatchObject({ 'general.currency': 'INR', 'general.locale': 'en-IN' });

    await show(page, 'Checkout');
    await page.getByText('Products with this many available units or fewer are low on stock.').waitFor();
    await page.getByLabel('Number prefix').fill('LK-7');
    await page.getByLabel('Track stock').uncheck();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await eventually(async () => {
      expect(await page.getByLabel('Number prefix').getAttribute('aria-invalid')).toBe('true');
    });
    await page.getByLabel('Number prefix').fill('LK-');
    await page.getByRole('button', { name: 'Save' }).first().click();
    const changed = { 'orders.number_prefix': 'LK-', 'orders.track_stock': false };
    await eventually(async () => expect(await settings(asha)).toMatchObject(changed));
  });

  test('the usual taxes of the country are added, and an example follows what is edited', async () => {
    const { page, asha } = await openShop('/settings/taxes');
    const example = page.getByRole('region', { name: 'Example' });
    await example.getByText('No tax rate applies here').waitFor();
    await page.getByText('CGST 9 % + SGST 9 % in your state, IGST 18 % elsewhere in India').waitFor();
    await page.getByLabel('State of the organization').selectOption('Maharashtra');
    await page.getByText('CGST 9 % + SGST 9 % in Maharashtra').waitFor();
    await page.getByRole('button', { name: 'Add these 15 rates' }).click();
    await page.getByText('15 tax rates added.').waitFor();
    await example.getByText('₹118.00').waitFor();
    expect(await settings(asha)).toMatchObject({ 'pricing.state': 'MH' });
    await page.getByLabel('Prices include tax').check();
    await example.getByText('₹84.74').waitFor();
    await inspect(page, 'settings-taxes');

    await page.getByRole('button', { name: 'Edit CGST, Maharashtra' }).first().click();
    await page.getByLabel('Rate in percent').fill('14');
    await example.getByText('CGST 14 %').waitFor();
    await page.getByLabel('Rate in percent').fill('140');
    await page.getByRole('button', { name: 'Save rate' }).click();
    await eventually(async () => {
      expect(await page.getByLabel('Rate in percent').getAttribute('aria-invalid')).toBe('true');
    });
    await inspect(page, 'settings-tax-rate-errors');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').first().waitFor();
    await page.getByLabel('Rate in percent').fill('12');
    await page.getByRole('button', { name: 'Save rate' }).click();
    await page.getByText('CGST saved.').waitFor();
    const rates = async () => (await asha.get('/api/v1/tax-rates?tax_class=standard')).body.tax_rates;
    expect(await rates()).toContainEqual(expect.objectContaining({ name: 'CGST', rate: '12.00', state: 'MH' }));

    await page.getByRole('button', { name: 'Delete IGST, India' }).first().click();
    await page.getByText('IGST deleted.').waitFor();
    expect(await rates()).toHaveLength(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => expect(await rates()).toHaveLength(3));
  });

  test('zones and rates are set up, tried and deleted', async () => {
    const { page, asha } = await openShop('/settings/shipping');
    await page.getByText('No shipping zones yet').waitFor();
    await page.getByRole('button', { name: 'Add zone' }).click();
    await page.getByLabel('Name of the zone').fill('West');
    await page.getByRole('button', { name: 'Add zone' }).click();
    await page.getByText('The regions must have at least one country').waitFor();
    await page.getByRole('combobox', { name: 'Countries and states' }).fill('maha');
    await page.getByRole('option', { name: 'Maharashtra, India' }).click();
    await page.getByRole('combobox', { name: 'Countries and states' }).fill('goa');
    await page.keyboard.press('Enter');
    await page.reload();
    await page.getByRole('button', { name: 'Remove Goa, India' }).waitFor();
    expect(await page.getByLabel('Name of the zone').inputValue()).toBe('West');
    await inspect(page, 'settings-shipping-zone');
    await page.getByRole('button', { name: 'Add zone' }).click();
    await page.getByText('West saved.').waitFor();
    const west = page.getByRole('region', { name: 'West' });
    await west.getByText('India: Maharashtra, Goa').waitFor();

    await west.getByRole('button', { name: 'Add rate' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Standard');
    await page.getByLabel('Price in INR').fill('80');
    await page.getByLabel('Free from a total of').fill('1,999');
    await page.getByLabel('Weight from, in g').fill('2000');
    await page.getByLabel('Weight up to, in g').fill('1000');
    await page.getByRole('button', { name: 'Add rate', exact: true }).click();
    await page.getByText('The maximum weight must be at least the minimum weight.').waitFor();
    await inspect(page, 'settings-shipping-rate-errors');
    await page.getByLabel('Weight from, in g').fill('');
    await page.getByRole('button', { name: 'Add rate', exact: true }).click();
    await west.getByText('Up to 1 kg · free from ₹1,999.00').waitFor();

    const offers = page.getByRole('region', { name: 'Offered rates' });
    await offers.getByText('No rate is offered').waitFor();
    await page.getByLabel('State', { exact: true }).selectOption('Goa');
    await offers.getByText('₹80.00').waitFor();
    await page.getByLabel('Total of the products').fill('2000');
    await offers.getByText('Free').waitFor();
    await page.getByLabel('Weight in g').fill('1001');
    await offers.getByText('No rate is offered').waitFor();
    await inspect(page, 'settings-shipping');

    await west.getByRole('button', { name: 'Actions for West' }).click();
    await page.getByRole('menuitem', { name: 'Delete zone' }).click();
    await page.getByText('is deleted with its rate.').waitFor();
    await inspect(page, 'settings-shipping-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete zone' }).click();
    await page.getByText('No shipping zones yet').waitFor();
    expect((await asha.get('/api/v1/shipping-rates')).body.shipping_rates).toEqual([]);
  });
});
