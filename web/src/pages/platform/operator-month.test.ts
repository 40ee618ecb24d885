import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { packagesFolder, writePackage, writeTestLock } from '../../../../server/testing/packages.ts';
import { uniqueId } from '../../../../server/testing/platform.ts';
import { serverUrl, startSecondServer } from '../../../../server/testing/second-server.ts';
import { countClicks, recordedClicks } from '../../../testing/clicks.ts';
import { type Console, chromiumPath, heading, startConsole } from '../../../testing/console.ts';

/* The work of the owner of a platform in one piece, without an address being typed; the README has the number of clicks. */

describe.skipIf(!chromiumPath)('the month of an operator', () => {
  let platform: Console;
  beforeAll(async () => {
    const folder = await packagesFolder();
    const MODULES_PATH = join(folder, 'modules');
    const closing: (() => Promise<void>)[] = [];
    const DATABASE_SERVERS = `east=${serverUrl(await startSecondServer({}, (close) => closing.push(close)))}?weight=0`;
    platform = await startConsole({ environment: { MODULES_PATH, DATABASE_SERVERS } });
    for (const [order, ring] of ['slow', 'fast'].entries()) {
      const locked = await writePackage(MODULES_PATH, { alias: 'notes', version: `1.${order}.0` });
      const file = join(folder, `${ring}.lock.json`);
      await writeTestLock(file, ring, { notes: locked });
      await platform.kernel.central.db.run(sql`
        INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment,
          promotion_order, is_active)
        VALUES (${ring}, ${ring}, ${file}, ${ring}, 'web', ${ring}, ${order + 1}, true)`);
    }
    await platform.kernel.work(['build']);
    return async () => {
      await platform.close();
      for (const close of closing) await close();
      await rm(folder, { recursive: true, force: true });
    };
  });

  const go = (page: Page, label: string) => page.getByRole('link', { name: label, exact: true }).first().click();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialogButton = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true });

  async function choose(page: Page, name: string): Promise<void> {
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name }).click();
  }

  test('from failed jobs to a moved tenant', async () => {
    const owner = await platform.tenant({ name: 'Chowk', role: 'platform_owner' });
    const operator = await platform.person({ tenant: owner });
    const acme = await platform.tenant({ name: 'Acme Stores' });
    const find = async (id: string) => (await operator.get(`/api/v1/platform/tenants/${id}`)).body.tenant;
    const task = { job: 'webhooks.deliver', tenant: acme.id, data: {}, requestId: 'test' };
    await platform.kernel.jobs.addDead(task, 'webhooks', 'the endpoint does not respond');
    const page = await platform.openAs(operator, owner);
    await heading(page, 'Home').waitFor();
    const clicks = await countClicks(page);

    // The first week: is everything up, and has anything failed?
    await go(page, 'Platform');
    await go(page, 'Health');
    await page.getByText('Requests a second').waitFor();
    await go(page, 'Jobs');
    await button(page, 'Retry all').click();
    await page.getByText('One job is tried again.').waitFor();

    // The second week: a tenant has not paid, and then it has.
    await go(page, 'Tenants');
    await go(page, 'Acme Stores');
    await button(page, 'Suspend').click();
    await page.getByLabel('Reason').fill('Unpaid since March');
    await dialogButton(page, 'Suspend').click();
    await page.getByText('Acme Stores suspended.').waitFor();
    await button(page, 'Resume').click();
    await page.getByText('Acme Stores resumed.').waitFor();

    // The third week: a new version for a ring.
    await go(page, 'Modules');
    await page.getByRole('link', { name: 'notes 1.0.0 on slow' }).click();
    await page.getByText('Nothing changes for clients and other modules.').waitFor();
    await button(page, 'Promote to slow').click();
    await button(page, 'Reload slow').click();
    await page.getByText('slow is being reloaded.').waitFor();

    // The fourth week: a copy for a test, an archive, and another database server.
    await go(page, 'Tenants');
    await go(page, 'Acme Stores');
    await choose(page, 'Copy');
    const copy = uniqueId();
    await page.getByLabel('Id of the copy').fill(copy);
    await dialogButton(page, 'Copy').click();
    await eventually(async () => expect(await find(copy)).toMatchObject({ status: 'active' }));
    const download = page.waitForEvent('download');
    await choose(page, 'Export');
    await download;
    await page.getByText('Acme Stores exported.').waitFor();
    await choose(page, 'Move to another database server');
    await dialogButton(page, 'Move').click();
    // Replication takes longer on a busy machine.
    await expect
      .poll(() => find(acme.id), { timeout: 90_000, interval: 100 })
      .toMatchObject({ database_server: 'east', move: null });
    expect(await clicks()).toBe(await recordedClicks("An operator's month"));
  });
});
