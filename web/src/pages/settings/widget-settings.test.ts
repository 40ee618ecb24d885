import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('settings of the web chat', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  test('it is switched on for a site, with a script to copy and a secret that is shown once', async () => {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme });
    const page = await platform.openAs(asha, acme, '/settings/widget');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Hello! How can we help?').waitFor();
    await page.getByLabel('Enabled').check();
    await page.getByLabel('Color').fill('#ffd54f');
    await page.getByLabel('Greeting').fill('Namaste!');
    await preview.getByText('Namaste!').waitFor();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Settings saved.').waitFor();
    await page.getByLabel('Sites').fill('shop.example.com\nhttps://www.example.com/teas/');
    await page.getByRole('button', { name: 'Save' }).nth(1).click();
    await eventually(async () => {
      expect((await asha.get('/api/v1/settings')).body.settings).toMatchObject({
        'widget.enabled': true,
        'widget.color': '#ffd54f',
        'widget.greeting': 'Namaste!',
        'widget.allowed_origins': ['https://shop.example.com', 'https://www.example.com'],
      });
    });
    await page.getByText(new RegExp(`^<script src="http://${acme.id}\\..*/widget\\.js" async></script>$`)).waitFor();
    await inspect(page, 'settings-widget', 'complete');

    await page.getByRole('button', { name: 'Create secret' }).click();
    await page.getByText('It is not shown again.').waitFor();
    await inspect(page, 'settings-widget-secret');
    await page.reload();
    await page.getByText('The secret was created').waitFor();
    expect(await page.getByText('It is not shown again.').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete secret' }).click();
    await page.getByRole('button', { name: 'Create secret' }).waitFor();
  });
});
