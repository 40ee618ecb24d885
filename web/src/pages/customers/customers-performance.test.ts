import { sql } from '@chowk/kit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, startConsole } from '../../../testing/console.ts';

const rows = 100_000;
const limitMs = 100;
/** More would exceed the time limit of a statement. */
const batch = 10_000;

/** Triggers of the statement maintain the counters. */
const insertFrom = (from: number) => sql`
  INSERT INTO customers (id, first_name, last_name, email, phone, tags, total_orders, total_spent, currency,
    last_order_at, created_at, updated_at)
  SELECT gen_random_uuid(), 'Person ' || n, (ARRAY['Sharma', 'कुमार', 'Nair'])[1 + n % 3], 'person' || n || '@example.com',
    '+9190' || lpad(n::text, 8, '0'), CASE WHEN n % 5 = 0 THEN ARRAY['wholesale'] ELSE '{}' END, n % 7, (n % 7) * 499.50,
    CASE WHEN n % 7 > 0 THEN 'INR' END, CASE WHEN n % 7 > 0 THEN now() - n * interval '1 minute' END,
    timestamptz '2026-01-01' - n * interval '1 minute', now()
  FROM generate_series(${from}::integer, ${from + batch - 1}::integer) n`;

describe.skipIf(!chromiumPath)('a list of 100,000 customers', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  const firstName = (page: Page) => page.locator('tr[data-row] a').first().textContent();

  /** The position in the list of the first and the last row on the screen. */
  async function shown(page: Page): Promise<readonly [first: number, last: number]> {
    const indexes = await page
      .locator('tr[data-row]')
      .evaluateAll((all) => all.map((row) => Number((row as unknown as { dataset: { row: string } }).dataset.row)));
    return [indexes[0] ?? -1, indexes.at(-1) ?? -1];
  }

  const scrollTo = (page: Page, share: number) =>
    page.getByRole('region', { name: 'Customers' }).evaluate((element, to) => {
      const scroller = element as unknown as { scrollTop: number; scrollHeight: number };
      scroller.scrollTop = scroller.scrollHeight * to;
    }, share);

  /** Scrolls, jumps and filters. Returns the longest task of the page as the browser reports it, in milliseconds. */
  async function use(page: Page): Promise<number> {
    await page.evaluate(`
      window.longest = 0;
      window.observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
      });
      window.observer.observe({ type: 'longtask' });`);
    const list = page.getByRole('region', { name: 'Customers' });
    await list.hover();
    for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, 600);
    await eventually(async () => expect((await shown(page))[0]).toBeGreaterThan(300));
    for (const [share, at] of [
      [0.5, rows / 2],
      [1, rows - 60],
      [0, 0],
    ] as const) {
      await scrollTo(page, share);
      await eventually(async () => {
        const [first, last] = await shown(page);
        expect(first).toBeGreaterThanOrEqual(at - 100);
        expect(last).toBeGreaterThan(at);
      });
    }
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').pressSequentially('person 4242', { delay: 30 });
    await eventually(async () => expect(await firstName(page)).toMatch(/^Person 4242/));
    await page.getByRole('searchbox').fill('');
    await eventually(async () => expect(await page.locator('tr[data-row]').count()).toBeGreaterThan(20));
    return (await page.evaluate('window.observer.disconnect(); window.longest')) as number;
  }

  test(`scrolls, jumps and filters without a task of more than ${limitMs} ms`, async () => {
    const acme = await platform.tenant({ name: 'Malabar Spice Exports' });
    const owner = await platform.person({ tenant: acme });
    for (let from = 1; from <= rows; from += batch) await acme.db.run(insertFrom(from));
    await acme.db.run(sql`ANALYZE customers`);
    const page = await platform.openAs(owner, acme, '/customers');
    await page.getByRole('link', { name: 'Person 1 कुमार', exact: true }).waitFor();
    await page.getByRole('button', { name: 'All 1,00,000' }).waitFor();
    const attempts: Longest[] = [];
    // The best of three, and the time of the processor: another process may have had the machine meanwhile.
    while (attempts.length < 3 && (attempts.at(-1)?.processorMs ?? limitMs) >= limitMs) {
      attempts.push(await measure(page, () => use(page)));
    }
    const report = attempts.map((one) => `${one.processorMs} ms of the processor in ${one.elapsedMs} ms`);
    process.stdout.write(`Longest task: ${report.join('; ')}\n`);
    expect(Math.min(...attempts.map(({ processorMs }) => processorMs))).toBeLessThan(limitMs);

    // Back shows the rows that were left.
    await scrollTo(page, 0.5);
    await eventually(async () => expect((await shown(page))[0]).toBeGreaterThan(rows / 2 - 100));
    await page.getByRole('link', { name: 'Home' }).click();
    await heading(page, 'Home').waitFor();
    await page.goBack();
    await eventually(async () => expect((await shown(page))[0]).toBeGreaterThan(rows / 2 - 100));
  }, 180_000);
});

interface Longest {
  /** As `PerformanceObserver` reports it. */
  readonly elapsedMs: number;
  /** Without the time in which the processor did something else. */
  readonly processorMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

async function measure(page: Page, work: () => Promise<number>): Promise<Longest> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const isComplete = new Promise((resolve) => session.on('Tracing.tracingComplete', resolve));
  const traceConfig = { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] };
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  const elapsedMs = await work();
  await session.send('Tracing.end');
  await isComplete;
  await session.detach();
  const threads = events.filter(({ ph, args }) => ph === 'M' && args.name === 'CrRendererMain');
  const tasks = events.filter(
    ({ name, pid, tid }) =>
      name === 'ThreadControllerImpl::RunTask' && threads.some((one) => one.pid === pid && one.tid === tid),
  );
  expect(tasks.length).toBeGreaterThan(100);
  return { elapsedMs, processorMs: Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000) };
}
