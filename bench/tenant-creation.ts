import pg from 'pg';
import { figure, median, percentile, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* What does a new tenant cost, compared with the PostgreSQL statement that it needs? */

const rounds = 20;

await onStage(async (stage) => {
  const storagePath = await stage.folder();
  // One spare: it is replaced before the response, so no database is being prepared during a measurement.
  const platform = await startPlatform(stage, { storagePath, environment: { SPARE_DATABASES: '1' } });
  const central = new pg.Client({ ...platform.database, database: platform.central });
  await central.connect();
  stage.atEnd(() => central.end());

  await createTenant(platform, 'warm');
  const { rows } = await central.query("SELECT name FROM prepared_databases WHERE kind = 'template' AND ready");
  const template = `"${rows[0].name}"`;
  const measured = { spare: [] as number[], rename: [] as number[], copy: [] as number[], bareCopy: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const spare = await createTenant(platform, `a${round}`);
    const bareCopy = await timeStatement(central, `CREATE DATABASE bare${round} TEMPLATE ${template}`);
    // A spare that is not ready is not used; the platform replaces it after creating the tenant.
    await central.query("UPDATE prepared_databases SET ready = false WHERE kind = 'spare'");
    const copy = await createTenant(platform, `b${round}`);
    const rename = await timeStatement(central, `ALTER DATABASE bare${round} RENAME TO renamed${round}`);
    if (round === 0) continue;
    measured.spare.push(spare);
    measured.rename.push(rename);
    measured.copy.push(copy);
    measured.bareCopy.push(bareCopy);
  }

  const row = (name: string, values: readonly number[], baseline?: readonly number[]) => [
    name,
    figure(median(values), 'ms'),
    figure(percentile(values, 90), 'ms'),
    baseline ? (median(values) / median(baseline)).toFixed(2) : '',
    baseline ? figure(median(values) - median(baseline), 'ms') : '',
  ];
  printTable(
    `A new tenant on the embedded server with production settings: ${rounds} rounds, alternating`,
    ['', 'median', '90th', 'ratio to the line above', 'difference'],
    [
      row('ALTER DATABASE … RENAME', measured.rename),
      row('a tenant with a spare', measured.spare, measured.rename),
      row('CREATE DATABASE … TEMPLATE', measured.bareCopy),
      row('a tenant without a spare', measured.copy, measured.bareCopy),
    ],
  );
});

/** Milliseconds measured by the platform, which responds when the next spare is ready. */
async function createTenant(platform: Platform, id: string): Promise<number> {
  return (await platform.post<{ ms: number }>('/api/v1/bench/tenants', { id })).ms;
}

async function timeStatement(client: pg.Client, statement: string): Promise<number> {
  const startedAt = performance.now();
  await client.query(statement);
  return performance.now() - startedAt;
}
