import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { uniqueId } from '../../../../server/testing/platform.ts';
import { uploadDocuments } from '../../../testing/application-documents.ts';
import { countClicks, recordedClicks } from '../../../testing/clicks.ts';
import { type Console, chromiumPath, heading, startConsole } from '../../../testing/console.ts';

/* The work of a reseller in one piece, without an address being typed; the README has the number of clicks. */

describe.skipIf(!chromiumPath)('the week of a reseller', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ environment: { APPLICATIONS_PER_MINUTE: '10000' } });
    await platform.kernel.work(['build']);
    return () => platform.close();
  });

  const go = (page: Page, label: string) => page.getByRole('link', { name: label, exact: true }).first().click();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function apply(referral_code: string, business_name: string): Promise<void> {
    const payload = { referral_code, business_name, contact_name: 'Ravi Kumar', email: `${uniqueId()}@example.com` };
    const { body } = await platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload });
    await uploadDocuments(platform.origin, { id: body.application_id, token: body.upload_token });
  }

  test('from a referral code to a new shop', async () => {
    const tenant = await platform.tenant({ name: 'Asha Partners', role: 'reseller' });
    const reseller = await platform.person({ tenant });
    await reseller.post('/api/v1/products', { title: 'Masala tea', sku: 'TEA', price: '120' });
    const page = await platform.openAs(reseller, tenant, '/', /Blocked script execution in 'about:srcdoc'/);
    await heading(page, 'Home').waitFor();
    const clicks = await countClicks(page);

    // Monday: a code for a fair, and its link.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await go(page, 'Referral codes');
    await button(page, 'New referral code').first().click();
    const code = uniqueId().toUpperCase();
    await page.getByLabel('Code', { exact: true }).fill(code);
    await button(page, 'Create referral code').click();
    await button(page, 'Copy link').click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${platform.origin}/apply?code=${code}`);

    // Tuesday: what every shop must sell.
    await go(page, 'Tenants');
    await go(page, 'Mandatory products');
    await page.getByLabel('Make a product mandatory').fill('masala');
    await page.getByRole('button', { name: 'Make mandatory: Masala tea' }).click();
    await page.getByText('All your tenants get Masala tea.').waitFor();

    // Wednesday: one business is approved.
    await apply(code, 'Tea House');
    await apply(code, 'Corner Shop');
    await go(page, 'Applications');
    await go(page, 'Tea House');
    await button(page, 'Accept documents').click();
    await button(page, 'Approve').click();
    await eventually(async () => expect(await page.getByText(': done').count()).toBe(8));

    // Thursday: another one must send other documents.
    await go(page, 'Corner Shop');
    await heading(page, 'Corner Shop').waitFor();
    await button(page, 'Ask for other documents').click();
    await page.getByLabel('Reason').fill('The selfie is not readable.');
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for other documents' }).click();
    await page.getByText('Corner Shop was asked for other documents.').waitFor();

    // Friday: the new shop is there, and the fair is over.
    await go(page, 'Tenants');
    await page.getByRole('link', { name: 'Tea House' }).waitFor();
    await go(page, 'Referral codes');
    await go(page, code);
    await page.locator('article').getByText('Used 2 times').waitFor();
    await button(page, 'End now').click();
    await page.locator('article').getByText('Ended').waitFor();
    const { body } = await reseller.get('/api/v1/admin/tenants');
    expect(body.tenants).toMatchObject([{ name: 'Tea House', status: 'active' }]);
    expect(await clicks()).toBe(await recordedClicks("A reseller's week"));
  });
});
