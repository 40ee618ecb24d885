import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { uniqueId } from '../../../../server/testing/platform.ts';
import { type Console, chromiumPath, heading, inspect, openPage, startConsole } from '../../../testing/console.ts';

/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n');
const admin = '/api/v1/admin/reseller-applications';
const businessName = 'Shri Venkateshwara Traditional Handloom Sarees and Silk Emporium of Kanchipuram Pvt';

describe.skipIf(!chromiumPath)('applications', () => {
  let platform: Console;
  let reseller: Person;
  beforeAll(async () => {
    platform = await startConsole({ environment: { APPLICATIONS_PER_MINUTE: '10000' } });
    reseller = await platform.person({ tenant: await platform.tenant({ role: 'reseller' }) });
    return () => platform.close();
  });

  async function newCode(fields: object = {}): Promise<string> {
    const { body } = await reseller.post('/api/v1/admin/referral-codes', { kyc_required: false, ...fields });
    return body.referral_code.code;
  }

  /** An application, as its page shows it. */
  async function openApplication(fields: object, prepare: (page: Page) => Promise<void> = async () => {}) {
    const form = { business_name: businessName, contact_name: 'रवि कुमार', email: `${uniqueId()}@example.com` };
    const payload = { referral_code: await newCode(fields), ...form };
    const { body } = await platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload });
    const page = await openPage();
    await prepare(page);
    await page.goto(`${platform.origin}/apply/${body.application_id}#${body.upload_token}`);
    return { id: body.application_id as string, page, email: form.email };
  }

  async function fill(page: Page, email: string): Promise<void> {
    await page.getByLabel('Name of the business').fill(businessName);
    await page.getByLabel('Your name').fill('रवि कुमार');
    await page.getByLabel('Email').fill(email);
  }

  /** Drops a file, which an expression creates in the page, on the field of a document. */
  async function drop(page: Page, label: string, file: string): Promise<void> {
    const dataTransfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(${file});
      return transfer;
    })()`);
    await page.getByLabel(label).locator('xpath=..').dispatchEvent('drop', { dataTransfer });
  }

  test('an application with all errors at once, a draft, and the new shop at its end', async () => {
    const code = await newCode({ auto_approve: true });
    const page = await openPage(`${platform.origin}/apply?code=${code}`);
    await heading(page, 'Apply for an organization').waitFor();
    await inspect(page, 'apply');
    await page.getByLabel('Address of the organization').fill('www');
    await page.getByText(/www\.localhost/).waitFor();
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Send the application' }).click();
    await eventually(async () => expect(await page.locator('[aria-invalid=true]').count()).toBe(5));
    expect(await page.evaluate('document.activeElement.name')).toBe('business_name');
    await inspect(page, 'apply-errors');

    const [alias, email] = [uniqueId(), `${uniqueId()}.a.rather.long.name.of.a.mailbox@subdomain.example.com`];
    await fill(page, email);
    await page.getByLabel('Address of the organization').fill(alias);
    await page.reload();
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await page.getByLabel('Name of the business').inputValue()).toBe(businessName);
    await page.getByText(`${alias}.localhost`).waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await inspect(page, 'apply-restored');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Send the application' }).click();
    await heading(page, 'Your organization is ready').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/apply\/[0-9a-f-]{36}$/);
    expect(await page.getByRole('link', { name: 'Open your organization' }).getAttribute('href')).toContain(alias);
    expect(await page.getByText(': done').count()).toBe(8);
    await inspect(page, 'application-completed');

    // The draft is gone, and the same address leads to the same application.
    await page.goto(`${platform.origin}/apply?code=${code}`);
    expect(await page.getByLabel('Name of the business').inputValue()).toBe('');
    await fill(page, email);
    await page.getByRole('button', { name: 'Send the application' }).click();
    await page.getByRole('link', { name: 'See its progress' }).click();
    await heading(page, 'Your organization is ready').waitFor();
  });

  test('documents are uploaded by button and by dropping, with clear errors', async () => {
    const { id, page } = await openApplication({ kyc_required: true });
    await heading(page, 'Upload your documents').waitFor();
    await inspect(page, 'application-documents');
    const governmentId = page.getByLabel('Government ID');
    await governmentId.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') });
    await page.getByText('notes.txt is not a JPEG, PNG or PDF file.').waitFor();
    const large = "new File([new Uint8Array(11 * 1024 * 1024)], 'scan.pdf', { type: 'application/pdf' })";
    await drop(page, 'Government ID', large);
    await page.getByText('scan.pdf has 11.0 MB. At most 10 MB are accepted.').waitFor();
    // Not what its name says: the platform looks at the content.
    await governmentId.setInputFiles({ name: 'id.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
    await eventually(async () => expect(await page.getByRole('alert').textContent()).toMatch(/PNG/));
    await inspect(page, 'application-document-refused');

    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/documents', async (route) => {
      await isReleased;
      await route.continue();
    });
    await governmentId.setInputFiles({ name: 'id.pdf', mimeType: 'application/pdf', buffer: pdf });
    await page.getByRole('progressbar', { name: 'Sending: Government ID' }).waitFor();
    release();
    await page.getByText('Received.').waitFor();
    const bytes = `Uint8Array.from(atob('${picture.toString('base64')}'), (one) => one.charCodeAt(0))`;
    await drop(page, 'Selfie', `new File([${bytes}], 'me.png', { type: 'image/png' })`);
    await heading(page, 'Your application is being reviewed').waitFor();
    await inspect(page, 'application-review');
    const { body } = await platform.request({ url: `/api/v1/reseller-register/${id}/status` });
    expect(body).toMatchObject({ kyc_status: 'submitted', uploaded_documents: ['government_id', 'selfie'] });
  });

  test('starting over empties the form; documents can be uploaded afterwards in the same tab, and not by others who know the address', async () => {
    const code = await newCode({ kyc_required: true });
    const page = await openPage(`${platform.origin}/apply?code=${code}`);
    await fill(page, 'ravi@example.com');
    await page.reload();
    await page.getByRole('button', { name: 'Discard them' }).click();
    expect(await page.getByLabel('Email').inputValue()).toBe('');
    await page.reload();
    expect(await page.getByLabel('Email').inputValue()).toBe('');
    await fill(page, `${uniqueId()}@example.com`);
    await page.getByRole('button', { name: 'Send the application' }).click();
    await heading(page, 'Upload your documents').waitFor();
    await page.reload();
    await page.getByLabel('Selfie').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: picture });
    await page.getByText('Received.').waitFor();
    const other = await openPage(page.url());
    await other.getByText('To upload documents, open the link in our email to the applicant.').waitFor();
    await inspect(other, 'application-documents-foreign');
    await other.goto(`${platform.origin}/apply/5f0c2f6e-0000-4000-8000-000000000000`);
    await heading(other, 'There is no such application').waitFor();
    await other.goto(`${platform.origin}/apply/nonsense`);
    await heading(other, 'There is no such application').waitFor();
    await inspect(other, 'application-unknown');
  });

  test('the page follows the decisions of the reviewer', async () => {
    const { id, page } = await openApplication({ kyc_required: true }, (page) => page.clock.install());
    await heading(page, 'Upload your documents').waitFor();
    await page.getByLabel('Government ID').setInputFiles({ name: 'id.pdf', mimeType: 'application/pdf', buffer: pdf });
    await page.getByText('Received.').waitFor();
    await page.getByLabel('Selfie').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: picture });
    await heading(page, 'Your application is being reviewed').waitFor();
    await reseller.post(`${admin}/${id}/kyc/reject`, { reason: 'The selfie is not readable.' });
    await page.clock.fastForward(15_000);
    await page.getByText(/The reason: The selfie is not readable\./).waitFor();
    await inspect(page, 'application-documents-rejected');
    await platform.kernel.central.db.run(
      sql`UPDATE reseller_applications SET kyc_status = 'verified', rejection_reason = NULL WHERE id = ${id}`,
    );
    await reseller.post(`${admin}/${id}/approve`);
    await page.clock.fastForward(15_000);
    await eventually(async () => {
      await page.clock.fastForward(1_000);
      expect(await heading(page, 'Your organization is ready').count()).toBe(1);
    });
    // Nothing can change any more.
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    await page.clock.fastForward(60_000);
    expect(requests).toBe(0);
  });

  test('an application that is rejected, or whose set-up has failed, says why', async () => {
    const { id, page } = await openApplication({});
    await heading(page, 'Your application is being reviewed').waitFor();
    const { db } = platform.kernel.central;
    for (const [status, title] of [
      ['rejected', 'Your application was not approved'],
      ['failed', 'Setting up your organization takes longer'],
    ] as const) {
      await db.run(sql`
        UPDATE reseller_applications SET status = ${status}, rejection_reason = 'The business is not registered in India.'
        WHERE id = ${id}`);
      if (status === 'failed') {
        await db.run(sql`
          INSERT INTO provisioning_steps (application_id, step, status, at) VALUES (${id}, 'tenant_id', 'completed', now()),
            (${id}, 'database', 'failed', now())`);
      }
      await page.reload();
      await heading(page, title).waitFor();
      await page.getByText('The business is not registered in India.').waitFor();
      await inspect(page, `application-${status}`);
    }
  });
});
