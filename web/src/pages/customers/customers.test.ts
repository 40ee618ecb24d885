import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('customers', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
  });

  test('a list with its filters in the address, and a customer beside it', async () => {
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const asha = await platform.person({ tenant: acme });
    for (let index = 0; index < 120; index += 1) {
      await asha.post('/api/v1/customers', { first_name: `Customer ${index}`, email: `c${index}@example.com` });
    }
    const page = await platform.openAs(asha, acme, '/customers');
    await page.getByRole('link', { name: 'Customer 119' }).waitFor();
    await inspect(page, 'customers');
    await page.keyboard.press('/');
    await page.keyboard.type('c7@');
    await eventually(() => expect(new URL(page.url()).search).toBe('?search=c7%40'));
    await page.getByRole('link', { name: 'Customer 7', exact: true }).click();
    await page.getByRole('heading', { name: 'Customer 7' }).waitFor();
    await inspect(page, 'customer');
    await page.keyboard.press('Escape');
    await eventually(() => expect(new URL(page.url()).pathname).toBe('/customers'));
    await page.goBack();
    await page.getByRole('heading', { name: 'Customer 7' }).waitFor();
  });
});
