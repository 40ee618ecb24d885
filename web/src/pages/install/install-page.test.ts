import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { uniqueId } from '../../../../server/testing/platform.ts';
import { getPort } from '../../../../server/testing/raw-http.ts';
import { startWizard, type Wizard } from '../../../../server/testing/wizard.ts';
import { chromiumPath, heading, inspect, openPage } from '../../../testing/console.ts';

async function stop({ app, kernel }: Awaited<ReturnType<typeof startWizard>>): Promise<void> {
  await app.close();
  await kernel.close();
}

describe.skipIf(!chromiumPath)('installing', () => {
  async function open({ app }: Wizard, path = '/'): Promise<Page> {
    await app.listen({ host: '127.0.0.1', port: 0 });
    return openPage(`http://localhost:${getPort(app)}${path}`);
  }

  const idField = (page: Page) => page.getByLabel('ID', { exact: true });

  async function fillOwner(page: Page, organization: string): Promise<void> {
    await page.getByLabel('Name of the organization').fill(organization);
    await idField(page).fill(uniqueId());
    await page.getByLabel('Your name').fill('Asha Rao');
    await page.getByLabel('Your email').fill('asha@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Repeat the password').fill('correct horse battery');
  }

  test('a new platform leads to its installation, which ends signed in on Home', async () => {
    const wizard = await startWizard({ identity: undefined });
    onTestFinished(() => stop(wizard));
    const page = await open(wizard, '/orders');
    await page.getByText(/checks passed/).waitFor();
    expect(new URL(page.url()).pathname).toBe('/install');
    await inspect(page, 'install');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByLabel('Name of the organization').waitFor();

    // After a reload, the installation continues where it was.
    await page.reload();
    await page.getByLabel('Name of the organization').fill('Café Zürich');
    await eventually(async () => expect(await idField(page).inputValue()).toBe('cafe-zurich'));
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Kolkata');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await fillOwner(page, 'Café Zürich');
    await inspect(page, 'install-owner');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await heading(page, 'Café Zürich is ready').waitFor();
    await inspect(page, 'install-ready');
    await page.getByRole('button', { name: 'Start empty' }).click();
    await heading(page, 'Home').waitFor();
    await page.getByText('Your organization is ready').waitFor();
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.includes("draft"))')).toEqual([]);

    // Installed: the wizard is gone.
    await page.goto(`${new URL(page.url()).origin}/install`);
    await heading(page, 'Home').waitFor();
  });

  test('a name in any script has an id, what was typed survives a reload, and the shop begins with demo data', async () => {
    const wizard = await startWizard({ identity: undefined });
    onTestFinished(() => stop(wizard));
    await wizard.untilOwner();
    const page = await open(wizard);
    const name = page.getByLabel('Name of the organization');
    await name.fill('शर्मा किराना');
    await eventually(async () => expect(await idField(page).inputValue()).toBe('srma-kirana'));
    await page.getByText(/srma-kirana\.localhost/).waitFor();
    await page.getByLabel('Country').selectOption('JP');
    expect(await page.getByLabel('Currency').inputValue()).toBe('JPY');
    await page.getByLabel('Your name').fill('आशा शर्मा');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByText('Good').waitFor();
    await page.reload();
    expect(await name.inputValue()).toBe('शर्मा किराना');
    expect(await page.getByLabel('Your name').inputValue()).toBe('आशा शर्मा');
    expect(await page.getByLabel('Currency').inputValue()).toBe('JPY');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await page.getByText(/srma-kirana\.localhost/).waitFor();
    await inspect(page, 'install-restored');
    // The id follows the name, until it is typed.
    await name.fill('शर्मा');
    await eventually(async () => expect(await idField(page).inputValue()).toBe('srma'));
    const slug = uniqueId();
    await idField(page).fill(slug);
    await name.fill('शर्मा किराना स्टोर');
    await page.getByText(`${slug}.localhost`).waitFor();

    await fillOwner(page, 'शर्मा किराना स्टोर');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await heading(page, 'शर्मा किराना स्टोर is ready').waitFor();
    const demo = page.getByRole('button', { name: 'Fill with demo data' });
    await page.route('**/demo-data', (route) => route.abort(), { times: 1 });
    await demo.click();
    await page.getByText('The platform cannot be reached.').waitFor();
    await demo.click();
    await heading(page, 'Home').waitFor();
    await page.getByText(/Added 300 customers, [\d,]+ orders and 40 products\./).waitFor();
    await eventually(async () =>
      expect(await page.getByRole('main').textContent()).not.toContain('Your organization is ready'),
    );
  });

  test('a requirement that is not met says what to do, and can be checked again', async () => {
    const wizard = await startWizard({ identity: undefined });
    onTestFinished(() => stop(wizard));
    const cache = join(wizard.kernel.config.storagePath, 'cache');
    await rm(cache, { recursive: true, force: true });
    await writeFile(cache, 'a file in place of the folder');
    const page = await open(wizard);
    await page.getByText('Not met: Cache folder').waitFor();
    await page.getByText(/Make the folder cache under STORAGE_PATH writable/).waitFor();
    expect(await page.getByRole('button', { name: 'Set up' }).count()).toBe(0);
    await inspect(page, 'install-failed');
    await rm(cache);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    expect(await page.getByText('Not met').count()).toBe(0);

    // A step that fails can be repeated.
    const busy = { status: 500, json: { message: 'The database is full.', code: 'http.internal' } };
    await page.route('**/install/seed-data', (route) => route.fulfill(busy), { times: 1 });
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('The database is full.').waitFor();
    await inspect(page, 'install-set-up-failed');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByLabel('Name of the organization').waitFor();
  });

  test('a wizard that needs the install token asks for it', async () => {
    const wizard = await startWizard({ identity: undefined, environment: { INSTALL_TOKEN: 'a-long-install-token' } });
    onTestFinished(() => stop(wizard));
    await wizard.untilOwner();
    const page = await open(wizard);
    await fillOwner(page, 'Acme');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await page.getByLabel('Install token').fill('a-long-install-token');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await heading(page, 'Acme is ready').waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('a-long-install-token');
  });
});
