import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../server/testing/chowkd.ts';
import { startRings } from '../../../../server/testing/ring-platform.ts';
import { chromiumPath, heading, openPage } from '../../../testing/console.ts';

/* docs/module-with-a-page.md, run as a module author would run it, beside a platform with three rings. */

const repository = resolve(import.meta.dirname, '../../../..');
const guide = await readFile(join(repository, 'docs/module-with-a-page.md'), 'utf8');
const execute = promisify(execFile);

/** The files of the guide, by path, and its commands. */
function readGuide() {
  const blocks = [...guide.matchAll(/^(?:`(reminders\/[^`]+)`[^\n]*\n\n)?```(\w+)\n([\s\S]*?)^```$/gm)];
  const files = blocks.flatMap(([, path, , content = '']) => (path === undefined ? [] : [{ path, content }]));
  const commands = blocks
    .filter(([, , language]) => language === 'sh')
    .flatMap(([, , , text = '']) => text.trim().split('\n'));
  return { files, commands };
}

const platform = chromiumPath
  ? await startRings({
      withNpm: true,
      permissions: [
        ...['probe.use', 'orders.view', 'orders.create', 'customers.view', 'customers.create'],
        ...['reminders.view', 'reminders.edit'],
      ],
    })
  : undefined;

describe.skipIf(!platform)('a module that is added to a running platform', () => {
  test('shows its pages, its widget and its section, each ring its own version', { timeout: 600_000 }, async () => {
    if (!platform) return;
    const { stable, edge } = platform.tenants;
    const origin = `http://localhost:${platform.port}`;
    const open = async (tenant: string, path = '/'): Promise<Page> => {
      const page = await openPage();
      page.setDefaultTimeout(60_000);
      const accessToken = platform.headers(tenant).authorization?.replace('Bearer ', '');
      const tokens = JSON.stringify({ accessToken, refreshToken: '', expiresAt: Date.now() + 600_000 });
      await page.addInitScript(
        `localStorage.setItem('chowk.tokens', ${JSON.stringify(tokens)});
         localStorage.setItem('chowk.tenant', ${JSON.stringify(tenant)});`,
      );
      await page.goto(origin + path);
      return page;
    };
    const link = (page: Page, name: string) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

    const first = await open(stable, '/modules/probe/wall');
    await first.getByText('The wall of 1.0.0').waitFor();
    await link(first, 'Probe 1.0.0').click();
    await heading(first, 'Probe 1.0.0').waitFor();
    const second = await open(edge, '/modules/probe/wall');
    await second.getByText('The wall of 2.0.0').waitFor();
    await link(second, 'Probe 2.0.0').click();
    await second.getByText('Colors').waitFor();
    expect(await link(first, 'Reminders').count()).toBe(0);

    const folder = await temporaryFolder();
    const { files, commands } = readGuide();
    expect(files.map(({ path }) => path)).toEqual([
      'reminders/module.json',
      'reminders/migrations/0001_reminders.sql',
      'reminders/module.ts',
      'reminders/console/wall.tsx',
    ]);
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await writeFile(join(folder, 'chowkd'), `#!/bin/sh\nexec ${repository}/chowkd "$@"\n`);
    await chmod(join(folder, 'chowkd'), 0o755);
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, APP_ENV: 'testing', ...platform.environment, MODULE_LOCK_PATH: platform.locks.stable };
    expect(commands).toHaveLength(4);
    for (const command of commands) await execute('sh', ['-c', command], { cwd: folder, env });
    const { console_entries: entries } = (await platform.get(stable, '/api/v1/auth/me')).body;
    const names = entries.map((entry: { module: string; name: string }) => `${entry.module}/${entry.name}`);
    expect(names).toEqual(
      expect.arrayContaining(['reminders/board', 'reminders/latest', 'reminders/of-order', 'reminders/wall']),
    );

    const items = [{ name: 'Sari', quantity: 1, price: '4500.00' }];
    const { body, status } = await platform.post(stable, '/api/v1/orders', {
      customer: { first_name: 'Meera' },
      items,
    });
    expect({ body, status }).toMatchObject({ status: 201 });
    const page = await open(stable, `/orders/${body.order.id}`);
    const section = (title: string) =>
      page.locator('section').filter({ has: page.getByRole('heading', { name: title, level: 2, exact: true }) });
    await section('Reminders').getByRole('button', { name: 'Add a reminder' }).click();
    await page.getByRole('dialog').getByLabel('Text').fill('Wrap it in silk');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a reminder' }).click();
    await section('Reminders').getByRole('cell', { name: 'Wrap it in silk' }).waitFor();
    await page.goto(origin);
    await section('Latest reminders').getByText('Wrap it in silk').waitFor();
    await link(page, 'Reminders').click();
    await page.getByRole('link', { name: 'Wrap it in silk' }).waitFor();
    await link(page, 'Wall').last().click();
    await page.getByText('On the wall: Wrap it in silk').waitFor();
    await second.reload();
    await link(second, 'Probe 2.0.0').waitFor();
    expect(await link(second, 'Reminders').count()).toBe(0);
  });
});
