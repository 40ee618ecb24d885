import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import type { TestTenant } from '../../server/testing/platform.ts';
import { type Console, chromiumPath, inspect, startConsole } from './console.ts';

interface ListCase {
  /** In the singular and in the plural, which is also the path of the page. */
  readonly names: readonly [one: string, all: string];
  readonly fill: (owner: Person) => Promise<void>;
  /** How many records `fill` adds. */
  readonly total: number;
  /** A text that finds one of them. */
  readonly search: { readonly text: string; readonly row: string };
  /** A column that can be hidden. */
  readonly column: string;
  /** A column that can be sorted, and its name in the address. */
  readonly sort: { readonly column: string; readonly by: string };
  /** A filter, and how many records match it. */
  readonly filter: { readonly search: string; readonly total: number };
}

/** What all lists of records have in common. */
export function describeList({ names: [one, all], fill, total, search, column, sort, filter }: ListCase): void {
  describe.skipIf(!chromiumPath)(`the list of ${all}`, () => {
    let platform: Console;
    let acme: TestTenant;
    let asha: Person;
    beforeAll(async () => {
      platform = await startConsole();
      acme = await platform.tenant({ name: 'Acme Stores' });
      asha = await platform.person({ tenant: acme });
      await fill(asha);
      return () => platform.close();
    });

    const open = (parameters = '') => platform.openAs(asha, acme, `/${all}${parameters}`);
    const expectRows = (page: Page, count: number) =>
      eventually(async () => expect(await page.locator('tbody [data-row]').count()).toBe(count));
    const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

    test('is searched, with the text in the address, and says when nothing matches', async () => {
      const page = await open();
      await expectRows(page, total);
      await page.keyboard.press('/');
      await page.keyboard.type(search.text);
      await expectRows(page, 1);
      await page.getByRole('link', { name: search.row }).waitFor();
      expect(parameter(page, 'search')).toBe(search.text);
      await page.reload();
      await expectRows(page, 1);
      await page.getByRole('searchbox').fill('nothing like that');
      await page.getByRole('heading', { name: `No ${one} matches` }).waitFor();
      await inspect(page, `${all}-no-match`);
      await page.getByRole('button', { name: `Show all ${all}` }).click();
      await expectRows(page, total);
    });

    test('is sorted by a column, in both directions, also after a reload', async () => {
      const page = await open();
      const header = page.getByRole('columnheader', { name: sort.column });
      await header.getByRole('button').click();
      await eventually(() => expect(parameter(page, 'sort_order')).toBe('desc'));
      await header.getByRole('button').click();
      await eventually(() => expect(parameter(page, 'sort_order')).toBe('asc'));
      expect(parameter(page, 'sort_by')).toBe(sort.by);
      await page.reload();
      await eventually(async () => expect(await header.getAttribute('aria-sort')).toBe('ascending'));
    });

    test('keeps the columns and the views that the user chooses', async () => {
      const page = await open(filter.search);
      await expectRows(page, filter.total);
      await page.getByRole('searchbox').fill('nothing like that');
      await page.getByRole('heading', { name: `No ${one} matches` }).waitFor();
      await page.getByRole('button', { name: 'Save view' }).click();
      await page.getByLabel('Name of the view').fill('Missing');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: /^All/ }).click();
      await page.getByRole('columnheader', { name: column }).waitFor();
      await page.getByRole('button', { name: 'Choose columns' }).click();
      await page.getByLabel(column, { exact: true }).uncheck();
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: column }).waitFor({ state: 'detached' });
      await page.reload();
      await expectRows(page, total);
      expect(await page.getByRole('columnheader', { name: column }).count()).toBe(0);
      await page.getByRole('button', { name: 'Missing', exact: true }).click();
      await page.getByRole('heading', { name: `No ${one} matches` }).waitFor();
      await page.getByRole('button', { name: 'Change the view Missing' }).click();
      await page.getByRole('button', { name: 'Delete view' }).click();
      await page.getByRole('button', { name: 'Missing', exact: true }).waitFor({ state: 'detached' });
    });

    test('is exported with its filters, and the export can be cancelled', async () => {
      const page = await open(filter.search);
      await expectRows(page, filter.total);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'CSV' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(new RegExp(`^${all}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
      await page.getByText(`Exported ${filter.total} ${all}`).waitFor();
      const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
      expect(lines).toHaveLength(filter.total + 1);
      // A response that does not end.
      await page.route(`**/${all}/export*`, () => {});
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'JSON' }).click();
      await page.getByRole('button', { name: 'Cancel the export' }).waitFor();
      await inspect(page, `${all}-export`);
      await page.getByRole('button', { name: 'Cancel the export' }).click();
      await page.getByText('Export cancelled. No file was saved.').waitFor();
      await page.getByRole('button', { name: 'Export' }).waitFor();
    });

    test('offers nothing but the list to those who may only view it', async () => {
      const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
      const page = await platform.openAs(viewer, acme, `/${all}`);
      await expectRows(page, total);
      for (const name of ['Export', `New ${one}`]) expect(await page.getByRole('button', { name }).count()).toBe(0);
      expect(await page.getByRole('checkbox').count()).toBe(0);
    });

    test('says how records come, if there are none', async () => {
      const empty = await platform.tenant({ name: 'New Stores' });
      const owner = await platform.person({ tenant: empty });
      const page = await platform.openAs(owner, empty, `/${all}`);
      await page.getByRole('heading', { name: `No ${all} yet` }).waitFor();
      await inspect(page, `${all}-empty`);
    });
  });
}
