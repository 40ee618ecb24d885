import { readFile } from 'node:fs/promises';
import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, inspect, startConsole } from '../../../testing/console.ts';
import { addCustomers, addOrder, longName } from '../../../testing/sample-customers.ts';

describe.skipIf(!chromiumPath)('a customer', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  /** Opens the first customer of the sample. */
  async function open({ role = 'Owner', path = '' } = {}) {
    const acme = await platform.tenant({ name: 'Chai & Sons, Pune' });
    const owner = await platform.person({ tenant: acme });
    const ids = await addCustomers(owner);
    const id = ids[0] as string;
    const url = `/api/v1/customers/${id}`;
    const address = {
      address1: '14 Laxmi Road',
      city: 'Pune',
      pincode: '411030',
      state: 'Maharashtra',
      country: 'India',
    };
    await owner.post(`${url}/addresses`, { first_name: 'Priya', ...address, phone: '+919876543210' });
    await owner.post('/api/v1/conversations', {
      customer: { id },
      channel: 'whatsapp',
      subject: 'Where is my parcel?',
      message: { body: 'It was promised for Tuesday, and the shop in Koregaon Park has not seen it either.' },
    });
    await owner.patch(url, { notes: 'Prefers calls after six.\nSpeaks Marathi.', external_ids: { shopify: '7712' } });
    await acme.db.run(sql`
      INSERT INTO customer_metadata (id, customer_id, key, value, module_source, created_at, updated_at)
      VALUES (gen_random_uuid(), ${id}, 'points', '1240', 'loyalty', now(), now())`);
    await platform.kernel.audit.flush();
    const user = role === 'Owner' ? owner : await platform.person({ tenant: acme, role });
    const page = await platform.openAs(user, acme, `/customers/${id}${path}`);
    const show = async () => (await owner.get(url)).body.customer;
    return { acme, owner, ids, id, url, page, show };
  }

  const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

  test('shows contact, numbers, segments, tags and what happened, also with a long name or one in Hindi', async () => {
    const { owner, id, page } = await open();
    await page.getByRole('heading', { name: 'Priya Sharma' }).waitFor();
    await page.getByRole('link', { name: '+91 98765 43210' }).waitFor();
    await page.getByRole('link', { name: 'priya.sharma@example.com' }).waitFor();
    await page.getByText('You added this customer').waitFor();
    await page.getByText(/changed the .*notes.* of this customer/).waitFor();
    expect(await page.getByRole('link', { name: /^Order / }).count()).toBe(3);
    await inspect(page, 'customer');
    await addOrder(owner, id);
    await eventually(async () => expect(await page.getByRole('link', { name: /^Order / }).count()).toBe(4));
    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'About the customer' }).getByRole('link', { name });
    await tab('Orders').click();
    await eventually(() => expect(new URL(page.url()).search).toBe('?tab=orders'));
    await eventually(async () =>
      expect(await page.getByRole('table', { name: 'Orders' }).locator('a').count()).toBe(4),
    );
    await inspect(page, 'customer-orders');
    const href = await page.getByRole('table', { name: 'Orders' }).locator('a').first().getAttribute('href');
    expect(href).toMatch(/^\/orders\/[0-9a-f-]{36}$/);
    await tab('Conversations').click();
    await page.getByRole('link', { name: 'Where is my parcel?' }).waitFor();
    await inspect(page, 'customer-conversations');
    await page.getByRole('link', { name: 'Where is my parcel?' }).click();
    await eventually(() => expect(new URL(page.url()).pathname).toMatch(/^\/conversations\/[0-9a-f-]{36}$/));
    await page.goBack();
    await tab('Details').click();
    await page.getByText('Prefers calls after six.').waitFor();
    await page.getByText('7712').waitFor();
    await page.getByRole('heading', { name: 'Stored by loyalty' }).waitFor();
    await page.getByText('1240').waitFor();
    await inspect(page, 'customer-details');
    await page.keyboard.press('Escape');
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/customers'));

    await page.getByRole('link', { name: longName }).click();
    await page.getByRole('heading', { name: longName }).waitFor();
    await page.getByText('You added this customer').waitFor();
    await inspect(page, 'customer-long-name');
    await page.goBack();
    await page.getByRole('link', { name: 'राजेश कुमार श्रीवास्तव' }).click();
    await page.getByRole('heading', { name: 'राजेश कुमार श्रीवास्तव' }).waitFor();
    await page.getByText('You added this customer').waitFor();
  });

  test('is masked for those who may not see phones and streets, with the reason', async () => {
    const { owner, id, page, show } = await open({ role: 'Agent' });
    await page.getByText('customers.view_sensitive').waitFor();
    const main = page.getByRole('main');
    expect(await main.textContent()).toContain('**********10');
    expect(await main.textContent()).not.toContain('9876543210');
    await inspect(page, 'customer-masked');
    await page.getByRole('button', { name: 'Show the phone' }).click();
    await page.getByRole('link', { name: '+91 98765 43210' }).waitFor();
    expect(await page.getByRole('button', { name: 'Show the phone' }).count()).toBe(0);
    await platform.kernel.audit.flush();
    const { body } = await owner.get('/api/v1/audit?action=customers.reveal');
    expect(body.audit).toMatchObject([{ outcome: 'ok', resource_id: id }]);
    // Once: a reload hides it again.
    await page.reload();
    await page.getByRole('button', { name: 'Show the phone' }).waitFor();
    await page.getByRole('link', { name: 'Addresses' }).click();
    await page.getByText('Street and phone are hidden from your role.').waitFor();
    expect(await main.textContent()).not.toContain('Laxmi Road');
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Write' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'Email',
      'WhatsApp',
      'SMS',
      'Note a phone call',
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Last name').fill('Sharma-Kulkarni');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Priya Sharma-Kulkarni' }).waitFor();
    await eventually(async () => expect(await focused(page)).toBe('Edit'));
    expect(await show()).toMatchObject({ phone: '+919876543210', last_name: 'Sharma-Kulkarni' });
  });

  test('gets tags, is exempted from taxes with a reason, exported with all data, and erased after typing the name', async () => {
    const { owner, id, url, page, show } = await open();
    await page.getByRole('button', { name: 'Remove the tag pune' }).click();
    await page.getByText('Removed “pune”.').waitFor();
    expect((await show()).tags).toEqual(['wholesale']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove the tag pune' }).waitFor();
    await page.getByRole('button', { name: 'Add tags' }).click();
    await page.getByRole('button', { name: 'थोक' }).click();
    await inspect(page, 'customer-add-tags');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the tag थोक' }).waitFor();
    expect((await show()).tags).toEqual(['wholesale', 'pune', 'थोक']);

    await page.getByRole('link', { name: 'Details' }).click();
    const exemption = async () => (await owner.get(`/api/v1/tax-exemptions/${id}`)).body.tax_exemption;
    await page.getByLabel('Exempt from taxes').check();
    await page.getByLabel('Reason').fill('Certificate 4711');
    await inspect(page, 'customer-tax-exemption');
    await page.getByRole('button', { name: 'Exempt customer' }).click();
    await page.getByText('The customer is exempt from taxes.').waitFor();
    await page.getByText('Certificate 4711').waitFor();
    expect(await exemption()).toMatchObject({ reason: 'Certificate 4711' });
    await page.getByLabel('Exempt from taxes').click();
    await page.getByText('The customer is no longer exempt from taxes.').waitFor();
    expect(await exemption()).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => expect(await exemption()).toMatchObject({ reason: 'Certificate 4711' }));

    await page.getByRole('button', { name: 'More actions' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export all data' }).click();
    const file = JSON.parse(await readFile(await (await download).path(), 'utf8'));
    expect(file.customer.id).toBe(id);
    expect(file.data.orders.orders).toHaveLength(3);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete or erase' }).click();
    await page.getByRole('radio', { name: /Delete everything/ }).check();
    await page.getByText(/1 profile,.* 3 orders,.* 1 value stored by modules,.* 1 address/).waitFor();
    const button = page.getByRole('button', { name: 'Delete everything' });
    expect(await button.isDisabled()).toBe(true);
    await inspect(page, 'customer-erase');
    await page.getByLabel('Type “Priya Sharma” to confirm').fill('Priya Sharma');
    await button.click();
    await page.getByText('Customer deleted with all data about it.').waitFor();
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/customers'));
    expect((await owner.get(url)).status).toBe(404);
    await page.getByRole('link', { name: 'Priya Sharma' }).waitFor({ state: 'detached' });
  });

  test('has addresses that are added, edited, made the default and deleted', async () => {
    const { owner, url, page, show } = await open({ path: '?tab=addresses' });
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.getByText('The address must not be empty.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('address1');
    await page.getByLabel('Address', { exact: true }).fill('Flat 9, Sahyadri Apartments');
    await page.getByLabel('City').fill('Nashik');
    // What is typed stays over a reload.
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('City').inputValue()).toBe('Nashik');
    await inspect(page, 'customer-address-form');
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.getByText('Address added.').waitFor();
    await page.getByText('Flat 9, Sahyadri Apartments').waitFor();
    expect(await focused(page)).toBe('Add address');
    await inspect(page, 'customer-addresses');
    const menu = page.getByRole('button', { name: 'Actions for the address Flat 9' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Make default' }).click();
    await page.getByText('Default shipping address changed.').waitFor();
    await eventually(async () =>
      expect((await show()).addresses[0]).toMatchObject({ city: 'Nashik', is_default: true }),
    );
    await menu.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('City').fill('Nasik');
    const [{ id: address }] = (await show()).addresses;
    const read = page.waitForResponse(`**${url}`);
    await owner.patch(`${url}/addresses/${address}`, { pincode: '422001' });
    await read;
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText('Someone else has changed this address.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nashik 422001').waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('City').fill('Nasik');
    await page.getByRole('button', { name: 'Save address' }).click();
    await page.getByText('Address saved.').waitFor();
    await page.getByText('Nasik').waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('The newest other shipping address becomes the default.').waitFor();
    await inspect(page, 'customer-delete-address');
    await page.getByRole('button', { name: 'Delete address' }).click();
    await page.getByText('Address deleted.').waitFor();
    expect((await show()).addresses).toMatchObject([{ city: 'Pune', is_default: true }]);
  });

  test('is created, with all errors at their fields and a draft', async () => {
    const { owner, page } = await open();
    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await page.getByRole('button', { name: 'New customer' }).click();
    await page.getByLabel('First name').fill('कविता');
    await page.getByLabel('Phone', { exact: true }).fill('12');
    await page.getByLabel('Email', { exact: true }).fill('priya.sharma@example.com');
    await page.getByLabel('Notes').fill('Asked for the catalogue.');
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('First name').inputValue()).toBe('कविता');
    await page.getByRole('button', { name: 'Create customer' }).click();
    await eventually(async () => expect(await page.locator('[aria-invalid=true]').count()).toBe(2));
    expect(await page.evaluate('document.activeElement.name')).toBe('phone');
    await inspect(page, 'customer-new');
    await page.getByRole('button', { name: 'Show that customer' }).click();
    await page.getByRole('link', { name: 'Priya Sharma' }).waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe('priya.sharma@example.com');
    await page.getByRole('button', { name: 'New customer' }).click();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    await page.getByLabel('Phone', { exact: true }).fill('98200 12345');
    await page.getByLabel('Email', { exact: true }).fill('kavita@example.com');
    await page.getByRole('button', { name: 'Create customer' }).click();
    await page.getByText('कविता created.').waitFor();
    await page.getByRole('heading', { name: 'कविता', level: 1 }).waitFor();
    const { body } = await owner.get('/api/v1/customers?search=kavita');
    expect(body.customers).toMatchObject([{ first_name: 'कविता', phone: '+919820012345' }]);
    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await page.getByRole('button', { name: 'New customer' }).click();
    expect(await page.getByLabel('First name').inputValue()).toBe('');
  });

  test('that someone else has changed is not overwritten without asking; merged with another one, it leads to the remaining one', async () => {
    const { owner, ids, id, url, page, show } = await open({ path: '?edit=profile' });
    await page.getByLabel('Last name').fill('Joshi');
    // An order is another version of the record, but no conflict.
    await addOrder(owner, id);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Priya Joshi saved.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Email', { exact: true }).fill('mine@example.com');
    // What is typed stays if the record cannot be read again.
    await page.route(`**${url}`, (route) => route.fulfill({ status: 500, json: {} }));
    const failed = page.waitForResponse(`**${url}`);
    await owner.patch(url, { email: 'theirs@example.com', notes: 'Call before noon.' });
    await failed;
    await page.unroute(`**${url}`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Someone else has changed this customer.').waitFor();
    await page.getByText('theirs@example.com').waitFor();
    await inspect(page, 'customer-conflict');
    await page.getByRole('button', { name: 'Save mine over theirs' }).click();
    await eventually(async () => expect(await show()).toMatchObject({ email: 'mine@example.com' }));
    expect(await show()).toMatchObject({ notes: 'Call before noon.' });

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Merge with another customer' }).click();
    await page.getByLabel('Search customers').fill('qure');
    await inspect(page, 'customer-merge-search');
    await page.getByRole('option', { name: /Imran Qureshi/ }).click();
    await page.getByText('From Imran Qureshi to Priya Joshi.').waitFor();
    await page.getByRole('button', { name: 'Merge customers' }).click();
    await page.getByText('Merged into Priya Joshi.').waitFor();
    expect((await show()).total_orders).toBe(4);

    await owner.post('/api/v1/customers/merge', { primary_id: ids[1], secondary_id: id });
    await page.reload();
    await eventually(() => expect(new URL(page.url()).pathname).toBe(`/customers/${ids[1]}`));
    await page
      .getByRole('link', { name: 'mine@example.com' })
      .or(page.getByText('Where is my parcel?'))
      .first()
      .waitFor();
  });
});
