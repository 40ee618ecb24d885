import pg from 'pg';
import { figure, median, percentile, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* What does a new tenant cost, beside the one statement of PostgreSQL that nobody can avoid? */

const rounds = 20;

await onStage(async (stage) => {
  const storagePath = await stage.folder();
  // One spare: it is there again before a round goes on, and nothing else is being prepared meanwhile.
  const platform = await startPlatform(stage, { storagePath, environment: { SPARE_DATABASES: '1' } });
  const central = new pg.Client({ ...platform.database, database: platform.central });
  await central.connect();
  stage.atEnd(() => central.end());

  await create(platform, 'warm');
  const { rows } = await central.query("SELECT name FROM prepared_databases WHERE kind = 'template' AND ready");
  const template = `"${rows[0].name}"`;
  const measured = { spare: [] as number[], rename: [] as number[], copy: [] as number[], bareCopy: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const spare = await create(platform, `a${round}`);
    const bareCopy = await timed(central, `CREATE DATABASE bare${round} TEMPLATE ${template}`);
    // Not ready, it is nobody's; the platform drops it and makes a new one when the tenant is there.
    await central.query("UPDATE prepared_databases SET ready = false WHERE kind = 'spare'");
    const copy = await create(platform, `b${round}`);
    const rename = await timed(central, `ALTER DATABASE bare${round} RENAME TO renamed${round}`);
    if (round === 0) continue;
    measured.spare.push(spare);
    measured.rename.push(rename);
    measured.copy.push(copy);
    measured.bareCopy.push(bareCopy);
  }

  const row = (name: string, values: readonly number[], beside?: readonly number[]) => [
    name,
    figure(median(values), 'ms'),
    figure(percentile(values, 90), 'ms'),
    beside ? (median(values) / median(beside)).toFixed(2) : '',
    beside ? figure(median(values) - median(beside), 'ms') : '',
  ];
  printTable(
    `A new tenant on the embedded server as it is in production: ${rounds} rounds in turn`,
    ['', 'median', '90th', 'ratio to the line above', 'more than it'],
    [
      row('bare ALTER DATABASE … RENAME', measured.rename),
      row('a tenant with a spare', measured.spare, measured.rename),
      row('bare CREATE DATABASE … TEMPLATE', measured.bareCopy),
      row('a tenant without a spare', measured.copy, measured.bareCopy),
    ],
  );
});

/** Milliseconds inside the platform, which answers only when the next spare is ready. */
async function create(platform: Platform, id: string): Promise<number> {
  return (await platform.post<{ ms: number }>('/api/v1/bench/tenants', { id })).ms;
}

async function timed(client: pg.Client, statement: string): Promise<number> {
  const began = performance.now();
  await client.query(statement);
  return performance.now() - began;
}
