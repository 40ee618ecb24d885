import { describe, expect, test } from 'vitest';
import { uniqueId } from '../../../../server/testing/platform.ts';
import { portOf } from '../../../../server/testing/raw-http.ts';
import { startWizard } from '../../../../server/testing/wizard.ts';
import { chromiumPath, heading, inspect, openPage } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('installing', () => {
  test('a new platform leads to its installation, which ends signed in on Home', async () => {
    const wizard = await startWizard({ identity: undefined });
    await wizard.app.listen({ host: '127.0.0.1', port: 0 });
    const page = await openPage(`http://localhost:${portOf(wizard.app)}/orders`);
    await page.getByText(/checks passed/).waitFor();
    expect(new URL(page.url()).pathname).toBe('/install');
    await inspect(page, 'install');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByLabel('Name of the organization').waitFor();

    // After a reload, the installation continues where it was.
    await page.reload();
    const slug = uniqueId();
    await page.getByLabel('Name of the organization').fill('Café Zürich');
    expect(await page.getByLabel('Id', { exact: true }).inputValue()).toBe('cafe-zurich');
    expect(await page.getByLabel('Time zone').inputValue()).toMatch(/^Asia\/(Kolkata|Calcutta)$/);
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await page.getByLabel('Id', { exact: true }).fill(slug);
    await page.getByLabel('Your name').fill('Asha Rao');
    await page.getByLabel('Your email').fill('asha@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Repeat the password').fill('correct horse battery');
    await inspect(page, 'install-owner');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await heading(page, 'Home').waitFor();
    await page.getByText('Your shop is ready').waitFor();
    await inspect(page, 'home-empty');

    // Installed: the wizard is gone.
    await page.goto(`${new URL(page.url()).origin}/install`);
    await heading(page, 'Home').waitFor();
  });

  test('a wizard that needs the install token asks for it', async () => {
    const wizard = await startWizard({ identity: undefined, environment: { INSTALL_TOKEN: 'a-long-install-token' } });
    await wizard.untilOwner();
    await wizard.app.listen({ host: '127.0.0.1', port: 0 });
    const page = await openPage(`http://localhost:${portOf(wizard.app)}/`);
    await page.getByLabel('Name of the organization').fill('Acme');
    await page.getByLabel('Id', { exact: true }).fill(uniqueId());
    await page.getByLabel('Your name').fill('Asha Rao');
    await page.getByLabel('Your email').fill('asha@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Repeat the password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await page.getByLabel('Install token').fill('a-long-install-token');
    await page.getByRole('button', { name: 'Finish and sign in' }).click();
    await heading(page, 'Home').waitFor();
  });
});
