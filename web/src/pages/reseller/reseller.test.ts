import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type TestTenant, uniqueId } from '../../../../server/testing/platform.ts';
import { uploadDocuments } from '../../../testing/application-documents.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

/** What the browser reports if the harness looks into the frame of a document. */
const noScripts = /Blocked script execution in 'about:srcdoc'/;
const businessName = 'Shri Venkateshwara Traditional Handloom Sarees and Silk Emporium of Kanchipuram Pvt';

describe.skipIf(!chromiumPath)('the pages of a reseller', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole({ environment: { APPLICATIONS_PER_MINUTE: '10000' } });
    await platform.kernel.work(['build']);
    return () => platform.close();
  });

  async function open(path: string): Promise<{ page: Page; tenant: TestTenant; reseller: Person }> {
    const tenant = await platform.tenant({ name: 'Asha Partners', role: 'reseller' });
    const reseller = await platform.person({ tenant, name: 'Asha Rao' });
    return { page: await platform.openAs(reseller, tenant, path, noScripts), tenant, reseller };
  }

  async function apply(reseller: Person, fields: object = {}, name = businessName) {
    const { body: made } = await reseller.post('/api/v1/admin/referral-codes', { kyc_required: true, ...fields });
    const payload = {
      referral_code: made.referral_code.code,
      business_name: name,
      contact_name: 'रवि कुमार',
      email: `${uniqueId()}@example.com`,
      phone: '+91 98765 43210',
      preferred_domain: uniqueId(),
    };
    const { body } = await platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload });
    return { id: body.application_id as string, token: body.upload_token as string, email: payload.email };
  }

  test('documents are looked at in a frame without scripts, and the application is approved', async () => {
    const { page, reseller } = await open('/applications');
    await page.getByText('No applications yet').waitFor();
    await inspect(page, 'applications-empty', 'complete');
    const { id, token } = await apply(reseller);
    await uploadDocuments(platform.origin, { id, token });
    await page.reload();
    await page.getByRole('button', { name: 'To review' }).click();
    await page.getByRole('link', { name: businessName }).click();
    await heading(page, businessName).waitFor();
    const frame = page.frameLocator('iframe[title="Selfie"]');
    await eventually(async () => {
      expect(
        await frame.locator('img').evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth),
      ).toBe(1);
    });
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-same-origin');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download Government ID' }).click();
    expect((await download).suggestedFilename()).toMatch(/government_id/);
    await inspect(page, 'application-panel', 'complete');
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Accept documents' }).click();
    await page.getByText(`Documents of ${businessName} accepted.`).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await eventually(async () => expect(await page.getByText(': done').count()).toBe(8));
    await page.locator('article').getByText('Approved', { exact: true }).waitFor();
    await inspect(page, 'application-approved', 'complete');
    await page.getByRole('link', { name: 'Tenants', exact: true }).click();
    await page.getByRole('link', { name: businessName }).waitFor();
    // A row that opens nothing does not look as if it did.
    const row = page.locator('tr', { hasText: businessName });
    expect(await row.getAttribute('class')).not.toContain('cursor-pointer');
    await inspect(page, 'reseller-tenants', 'complete');
  });

  test('an application is rejected, a failed set-up is tried again, and those who may only view see no buttons', async () => {
    const { page, tenant, reseller } = await open('/applications');
    const { id, token } = await apply(reseller, {}, 'Tea House');
    await uploadDocuments(platform.origin, { id, token });
    await page.goto(`${platform.origin}/applications/${id}`);
    await page.getByRole('button', { name: 'Ask for other documents' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for other documents' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await inspect(page, 'application-ask');
    await page.getByLabel('Reason').fill('The selfie is not readable.');
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for other documents' }).click();
    await page.getByText('Tea House was asked for other documents.').waitFor();
    await page.locator('article').getByText('The selfie is not readable.').waitFor();
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByLabel('Reason').fill('The business is not registered.');
    await page.getByRole('button', { name: 'Reject application' }).click();
    await page.locator('article').getByText('The business is not registered.').waitFor();
    expect(await page.getByRole('button', { name: 'Reject', exact: true }).count()).toBe(0);
    const [row] = await platform.kernel.central.db.rows(sql`SELECT status FROM reseller_applications WHERE id = ${id}`);
    expect(row).toEqual({ status: 'rejected' });

    const { id: failed } = await apply(reseller, { kyc_required: false }, 'Tea House');
    await platform.kernel.central.db.run(sql`
      UPDATE reseller_applications SET status = 'failed', rejection_reason = 'The disk is full.' WHERE id = ${failed}`);
    await page.goto(`${platform.origin}/applications/${failed}`);
    await page.getByText('The disk is full.').waitFor();
    await inspect(page, 'application-set-up-failed');
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(async () => expect(await page.getByText(': done').count()).toBe(8));

    const { id: viewed } = await apply(reseller, { kyc_required: false }, 'Tea House');
    await platform.continueAs(page, await platform.person({ tenant, role: 'Viewer' }), tenant);
    await page.goto(`${platform.origin}/applications/${viewed}`);
    await heading(page, 'Tea House').waitFor();
    for (const name of ['Approve', 'Reject']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    await page.goto(`${platform.origin}/codes`);
    await page.getByText('reseller.referral_codes.manage').waitFor();
    await platform.continueAs(page, await platform.person({ tenant, role: 'Agent' }), tenant);
    await page.goto(`${platform.origin}/applications`);
    await page.getByText('You do not have access to this page').waitFor();
    await page.goto(`${platform.origin}/platform`);
    await page.getByText('This page belongs to the owner of the platform').waitFor();
  });

  test('a referral code is created, copied, changed, ended and deleted, and products are made mandatory', async () => {
    const { page, reseller } = await open('/codes');
    await page.getByText('No referral codes yet').waitFor();
    await inspect(page, 'codes-empty', 'complete');
    await page.keyboard.press('n');
    await page.getByLabel('Code', { exact: true }).fill('a b');
    await page.getByRole('button', { name: 'Create referral code' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await inspect(page, 'code-new', 'complete');
    const code = uniqueId().toUpperCase();
    await page.getByLabel('Code', { exact: true }).fill(code);
    await page.getByLabel('Most uses').fill('5');
    await page.getByRole('button', { name: 'Create referral code' }).click();
    await heading(page, code).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied').waitFor();
    const link = `${platform.origin}/apply?code=${code}`;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    await inspect(page, 'code', 'complete');
    await page.getByLabel('Ask for identity documents').uncheck();
    await page.getByLabel('Most uses').fill('6');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`Referral code ${code} saved.`).waitFor();
    const find = async () => (await reseller.get('/api/v1/admin/referral-codes')).body.referral_codes[0];
    expect(await find()).toMatchObject({ code, kyc_required: false, max_uses: 6, auto_approve: false });
    await page.getByRole('button', { name: 'End now' }).click();
    await page.locator('article').getByText('Ended').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('article').getByText('Open', { exact: true }).waitFor();
    expect(await find()).toMatchObject({ expires_at: null });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete referral code' }).click();
    await page.getByText('No referral codes yet').waitFor();
    expect(await find()).toBeUndefined();

    await page.goto(`${platform.origin}/tenants/products`);
    await page.getByText('No mandatory products yet').waitFor();
    await inspect(page, 'reseller-products-empty', 'complete');
    await reseller.post('/api/v1/products', { title: 'Masala tea', sku: 'TEA', price: '120' });
    await page.getByLabel('Make a product mandatory').fill('masala');
    await page.getByRole('button', { name: 'Make mandatory: Masala tea' }).click();
    await page.getByRole('list', { name: 'Mandatory products' }).getByRole('link', { name: 'Masala tea' }).waitFor();
    await inspect(page, 'reseller-products', 'complete');
    const list = async () => (await reseller.get('/api/v1/products?mandatory=true')).body.products.length;
    expect(await list()).toBe(1);
    await page.getByRole('button', { name: 'Remove Masala tea' }).click();
    await page.getByText('No mandatory products yet').waitFor();
    expect(await list()).toBe(0);
  });
});
