import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../../../server/testing/accounts.ts';
import { eventually } from '../../../../server/testing/eventually.ts';
import { packagesFolder, writePackage, writeTestLock } from '../../../../server/testing/packages.ts';
import { type TestTenant, uniqueId } from '../../../../server/testing/platform.ts';
import { serverUrl, startSecondServer } from '../../../../server/testing/second-server.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('the pages of the platform', () => {
  let platform: Console;
  let owner: TestTenant;
  let operator: Person;
  beforeAll(async () => {
    const folder = await packagesFolder();
    const MODULES_PATH = join(folder, 'modules');
    const closing: (() => Promise<void>)[] = [];
    const DATABASE_SERVERS = `east=${serverUrl(await startSecondServer({}, (close) => closing.push(close)))}?weight=0`;
    platform = await startConsole({ environment: { MODULES_PATH, DATABASE_SERVERS } });
    const { db } = platform.kernel.central;
    for (const [ring, order, version] of [
      ['slow', 1, '1.0.0'],
      ['fast', 2, '1.1.0'],
    ] as const) {
      const locked = await writePackage(MODULES_PATH, {
        alias: 'notes',
        version,
        ...(ring === 'fast' && { migrations: { '0001_notes.sql': 'CREATE TABLE notes (id int)' } }),
      });
      const file = join(folder, `${ring}.lock.json`);
      await writeTestLock(file, ring, { notes: locked });
      await db.run(sql`
        INSERT INTO module_rings (name, display_name, description, manifest_path, k8s_namespace, k8s_service, hostname_segment,
          promotion_order, is_active)
        VALUES (${ring}, ${ring === 'slow' ? 'Slow' : 'Fast'}, 'For a test', ${file}, ${ring}, 'web', ${ring}, ${order}, true)`);
    }
    owner = await platform.tenant({ name: 'Chowk', role: 'platform_owner' });
    operator = await platform.person({ tenant: owner, name: 'Asha Rao' });
    await platform.kernel.work(['build']);
    return async () => {
      await platform.close();
      for (const close of closing) await close();
      await rm(folder, { recursive: true, force: true });
    };
  });

  const open = (path: string) => platform.openAs(operator, owner, path);
  const panel = (page: Page) => page.locator('article');

  test('a tenant is found, suspended, resumed and exported, and those who may only view have no buttons', async () => {
    const acme = await platform.tenant({ name: `Acme ${uniqueId()}` });
    const page = await open('/platform');
    await page.getByRole('link', { name: acme.name }).waitFor();
    await inspect(page, 'platform-tenants', 'complete');
    await page.getByRole('searchbox').fill('nothing like that');
    await page.getByRole('heading', { name: 'No tenant matches' }).waitFor();
    await page.getByRole('searchbox').fill(acme.id);
    await page.getByRole('link', { name: acme.name }).click();
    await heading(page, acme.name).waitFor();
    await panel(page).getByText('Nothing has been done yet.').waitFor();
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByLabel('Reason').fill('Unpaid since March');
    await inspect(page, 'platform-suspend');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText(`${acme.name} suspended.`).waitFor();
    await panel(page).getByText('The reason: Unpaid since March').waitFor();
    await inspect(page, 'platform-tenant', 'complete');
    await page.getByRole('button', { name: 'Resume' }).click();
    await panel(page).getByText('Resumed').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'More actions' }).click();
    await inspect(page, 'platform-tenant-menu');
    await page.getByRole('menuitem', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toMatch(new RegExp(`^${acme.id}-.*\\.zip$`));
    await panel(page).getByText('Exported').waitFor();

    const viewer = await platform.person({ tenant: owner, role: 'Viewer' });
    await platform.continueAs(page, viewer, owner);
    await page.goto(`${platform.origin}/platform/tenants/${acme.id}`);
    await heading(page, acme.name).waitFor();
    for (const name of ['Suspend', 'More actions']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    expect(await page.getByLabel(`Ring of ${acme.name}`).count()).toBe(0);
  });

  test('a tenant is copied, and moved to another database server', async () => {
    const acme = await platform.tenant({ name: `Acme ${uniqueId()}` });
    const page = await open(`/platform/tenants/${acme.id}`);
    await heading(page, acme.name).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy' }).click();
    await page.getByLabel('Id of the copy').fill('api');
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await inspect(page, 'platform-copy');
    const copy = uniqueId();
    await page.getByLabel('Id of the copy').fill(copy);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText(`${acme.name} is being copied to ${copy}.`).waitFor();
    await eventually(async () =>
      expect((await operator.get(`/api/v1/platform/tenants/${copy}`)).body.tenant).toMatchObject({ status: 'active' }),
    );
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Move to another database server' }).click();
    await inspect(page, 'platform-move');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText(`${acme.name} is being moved to east.`).waitFor();
    await eventually(async () => {
      await page.reload();
      await panel(page).getByText('Moved from the database server main to east').waitFor({ timeout: 2_000 });
    });
    await panel(page).getByText(`Copied to ${copy}`).waitFor();
  });

  test('a tenant is assigned to another ring', async () => {
    const acme = await platform.tenant({ name: `Acme ${uniqueId()}` });
    // It uses none of the modules that the other ring lacks.
    await platform.kernel.central.db.run(sql`DELETE FROM module_installations WHERE tenant_id = ${acme.id}`);
    const page = await open(`/platform/tenants/${acme.id}`);
    await page.getByLabel(`Ring of ${acme.name}`).selectOption('slow');
    await page.getByLabel('Reason').fill('Wants to be careful');
    await page.getByRole('button', { name: 'Assign to slow' }).click();
    await page.getByText(`${acme.name} assigned to the ring slow.`).waitFor();
    await panel(page).getByText('Ring stable → slow').waitFor();
    await panel(page).getByText('Wants to be careful').waitFor();
    await page.getByRole('link', { name: 'Rings' }).click();
    await page.getByRole('link', { name: 'Slow' }).waitFor();
    await inspect(page, 'platform-rings', 'complete');
    await page.getByRole('link', { name: 'Slow' }).click();
    await panel(page).getByText('1 tenant').waitFor();
    await inspect(page, 'platform-ring', 'complete');
  });

  test('a version is promoted after its difference was seen, and the ring is reloaded', async () => {
    const page = await open('/platform/modules');
    await page.getByRole('link', { name: 'notes 1.0.0 on Slow' }).waitFor();
    await inspect(page, 'platform-modules', 'complete');
    await page.getByRole('link', { name: 'notes 1.0.0 on Slow' }).click();
    await page.getByText('migration 0001_notes.sql').waitFor();
    await inspect(page, 'platform-promotion', 'complete');
    await page.getByLabel('Take the version of').selectOption('slow');
    await page.getByText('Choose two different rings.').waitFor();
    await page.getByLabel('Take the version of').selectOption('stable');
    await page.getByText(/does not have the module notes/).waitFor();
    await page.getByLabel('Take the version of').selectOption('fast');
    await page.getByLabel('Reason').fill('Soaked for a week');
    await page.getByRole('button', { name: 'Promote to slow' }).click();
    await page.getByText('The lock file of slow has notes 1.1.0.').waitFor();
    await inspect(page, 'platform-promoted', 'complete');
    await page.getByRole('button', { name: 'Reload slow' }).click();
    await page.getByText('slow is being reloaded.').waitFor();
    await page.goto(`${platform.origin}/platform/rings/slow`);
    await panel(page).getByText('notes 1.0.0 → 1.1.0 on slow').waitFor();
    await panel(page).getByText('slow reloaded').waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reload' }).click();
    await page.getByText('Slow is being reloaded.').waitFor();
  });

  test('failed jobs are retried, the health of the services is shown as charts, and the release channel is set and removed', async () => {
    const page = await open('/platform/jobs');
    await page.getByText('No failed jobs').waitFor();
    await inspect(page, 'platform-jobs-empty', 'complete');
    const acme = await platform.tenant();
    const task = { job: 'webhooks.deliver', tenant: acme.id, data: {}, requestId: 'test' };
    for (const error of ['the endpoint answered 500', 'the endpoint does not respond', 'the name does not resolve']) {
      await platform.kernel.jobs.addDead(task, 'webhooks', error);
    }
    await page.reload();
    await page.getByText('the endpoint answered 500').waitFor();
    await inspect(page, 'platform-jobs', 'complete');
    await page.getByRole('button', { name: 'Retry webhooks.deliver' }).first().click();
    await page.getByText('webhooks.deliver is tried again.').waitFor();
    await eventually(async () =>
      expect(await page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').count()).toBe(2),
    );
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByText('2 jobs are tried again.').waitFor();
    await page.getByText('No failed jobs').waitFor();
    const later = { job: 'kernel.settle_moves', tenant: '', data: {}, requestId: 'test' };
    await platform.kernel.jobs.add(later, { startAt: new Date(Date.now() + 3_600_000) });
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.getByText('Waiting').first().waitFor();
    await inspect(page, 'platform-jobs-all');

    const { figures } = platform.kernel;
    for (let index = 0; index < 40; index += 1) {
      for (let n = 0; n < 20 + 10 * Math.sin(index / 4); n += 1)
        figures.count(n % 19 === 18 ? 500 : 200, 4 + (index % 7));
      figures.sample({ busy_connections: index % 5, waiting: index === 20 ? 3 : 0, sockets: 10 + index });
    }
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByText('Requests a second').waitFor();
    await page.getByText('most 49', { exact: true }).waitFor();
    await page.getByRole('table', { name: 'Database servers' }).getByText('east').waitFor();
    await inspect(page, 'platform-health', 'complete');

    await page.getByRole('link', { name: 'Releases', exact: true }).click();
    await page.getByLabel('Source').selectOption('static');
    await page.getByLabel('Address of the manifest').fill('http://localhost/MANIFEST.json');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await inspect(page, 'platform-releases', 'complete');
    await page.getByLabel('Address of the manifest').fill('https://releases.example.com/MANIFEST.json');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Release channel saved.').waitFor();
    await page.getByRole('button', { name: 'Use the channel of the environment' }).click();
    await page.getByText('No channel is set').waitFor();
  });
});
