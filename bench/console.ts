import { chromium } from 'playwright-core';
import { figure, median, percentile, printTable } from './figures.ts';
import { waitUntilHealthy } from './health.ts';
import { freePort, onStage } from './stage.ts';

/*
 * How long does it take until the sign-in page can be used, in a browser that has never been there? Compared with a file of
 * the platform that is no page. `CHROMIUM` is the path of the browser.
 */

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';
const rounds = 15;
const password = 'correct horse battery';

await onStage(async (stage) => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  stage.start('npm', ['start'], { PORT: `${port}`, STORAGE_PATH: await stage.folder() });
  await waitUntilHealthy(port);
  await install(`${origin}/api/v1/install`);
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  stage.atEnd(() => browser.close());
  const [pages, files, kilobytes]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const startedAt = performance.now();
    await page.goto(`${origin}/login`);
    await page.getByLabel('Email').waitFor();
    pages.push(performance.now() - startedAt);
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
         .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    kilobytes.push((bytes as number) / 1_000);
    await context.close();
    const bare = await browser.newContext();
    const file = await bare.newPage();
    const fileStartedAt = performance.now();
    await file.goto(`${origin}/favicon.svg`);
    files.push(performance.now() - fileStartedAt);
    await bare.close();
  }
  const row = (name: string, values: readonly number[], unit: string, target: string) => [
    name,
    figure(median(values), unit),
    figure(percentile(values, 95), unit),
    target,
  ];
  printTable(
    'The first load of the sign-in page',
    ['', 'p50', 'p95', 'target'],
    [
      row('until the form is there', pages, 'ms', '< 1 s'),
      row('a file of a few bytes', files, 'ms', ''),
      row('compressed script', kilobytes, 'KB', '< 150 KB'),
    ],
  );
});

async function install(url: string): Promise<void> {
  const post = async (step: string, body: object = {}) => {
    const response = await fetch(`${url}/${step}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  await fetch(`${url}/check-requirements`);
  await post('setup-database');
  await post('seed-data');
  const owner = { name: 'Asha Rao', email: 'asha@example.com', password, password_confirmation: password };
  await post('owner', { organization_name: 'Acme', organization_slug: 'acme', ...owner });
}
