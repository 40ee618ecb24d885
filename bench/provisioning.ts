import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { figure, median, percentile, printTable } from './figures.ts';
import { type Platform, startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/*
 * How long does it take from the approval of an application until its tenant can be used, compared with the copy of the
 * template alone? Does it stay the same when there are many tenants? `TENANTS=1000` for more.
 */

const landlord = 'landlord';
const rounds = Number(process.env.ROUNDS ?? 6);
const inParallel = [1, 10];
const tenants = Number(process.env.TENANTS ?? 300);
const group = 100;
const spares = process.env.SPARE_DATABASES ?? '10';
let copies = 0;

await onStage(async (stage) => {
  const platform = await startPlatform(stage, {
    storagePath: await stage.folder(),
    environment: { SPARE_DATABASES: spares },
  });
  const connect = async () => {
    const client = new pg.Client({ ...platform.database, database: platform.central });
    await client.connect();
    stage.atEnd(() => client.end());
    return client;
  };
  const central = await connect();
  await platform.post('/api/v1/bench/tenants', { id: landlord });
  await central.query("UPDATE tenants SET role = 'platform_owner' WHERE id = $1", [landlord]);
  const code = randomUUID();
  await central.query(
    `INSERT INTO referral_codes (id, code, parent_tenant_id, tenant_role, kyc_required, auto_approve, created_at, updated_at)
     VALUES ($1, 'BENCH', $2, 'merchant', false, false, now(), now())`,
    [code, landlord],
  );
  const { rows } = await central.query("SELECT name FROM prepared_databases WHERE kind = 'template' AND ready");
  const template = `"${rows[0].name}"`;
  const clients = await Promise.all(Array.from({ length: Math.max(...inParallel) }, connect));
  await provision(platform, await insertApplication(central, code));

  const lines: string[][] = [];
  for (const parallel of inParallel) {
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < Math.ceil((rounds * 10) / parallel); round += 1) {
      await untilRefilled(central);
      const ids = await Promise.all(Array.from({ length: parallel }, () => insertApplication(central, code)));
      ours.push(...(await Promise.all(ids.map((id) => provision(platform, id)))));
      await untilRefilled(central);
      bare.push(...(await Promise.all(clients.slice(0, parallel).map((client) => copy(client, template)))));
    }
    lines.push(
      line(`approval to usable tenant, ${parallel} at a time`, ours, 'p95 < 1 s'),
      line(`CREATE DATABASE … TEMPLATE, ${parallel} at a time`, bare),
    );
  }
  printTable('Provisioning, with recorded steps on the queue', ['', 'p50', 'p95', 'target'], lines);

  const groups: string[][] = [];
  for (let count = 0; count < tenants; count += group) {
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let index = 0; index < group; index += 1) {
      ours.push((await platform.post<{ ms: number }>('/api/v1/bench/tenants', { id: `t${count + index}` })).ms);
      if (index % 10 === 0) bare.push(await copy(central, template));
    }
    groups.push([`${count + group}`, figure(median(ours), 'ms'), figure(median(bare), 'ms')]);
  }
  printTable('A new tenant, by the number of tenants', ['tenants', 'median', 'copy of the template'], groups);
});

function line(name: string, values: readonly number[], target = ''): string[] {
  return [name, figure(median(values), 'ms'), figure(percentile(values, 95), 'ms'), target];
}

async function insertApplication(central: pg.Client, code: string): Promise<string> {
  const id = randomUUID();
  await central.query(
    `INSERT INTO reseller_applications (id, referral_code_id, parent_tenant_id, tenant_role, kyc_required, auto_approve,
       business_name, contact_name, email, status, kyc_status, created_at, updated_at)
     VALUES ($1, $2, $3, 'merchant', false, false, $4, 'Ravi', $5, 'pending', 'not_required', now(), now())`,
    [id, code, landlord, `Tea House ${id.slice(0, 8)}`, `${id}@example.com`],
  );
  return id;
}

/** Milliseconds from the request that approves until the status says that it is completed. */
async function provision(platform: Platform, id: string): Promise<number> {
  const base = `http://127.0.0.1:${platform.port}/api/v1`;
  const startedAt = performance.now();
  const approved = await fetch(`${base}/admin/reseller-applications/${id}/approve`, {
    method: 'POST',
    headers: platform.headers(landlord),
  });
  if (approved.status !== 202) throw new Error(await approved.text());
  for (;;) {
    const response = await fetch(`${base}/reseller-register/${id}/status`);
    const { status, rejection_reason } = (await response.json()) as { status: string; rejection_reason: string };
    if (status === 'completed') return performance.now() - startedAt;
    if (status !== 'provisioning') throw new Error(`${status}: ${rejection_reason}`);
    // More often would measure the load of the questions.
    await pause(25);
  }
}

/** The approvals of an hour ago are not part of the next measurement. */
async function untilRefilled(central: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await central.query("SELECT count(*) FROM prepared_databases WHERE kind = 'spare' AND ready");
    if (Number(rows[0].count) >= Number(spares)) return;
    await pause(50);
  }
}

async function copy(client: pg.Client, template: string): Promise<number> {
  const name = `bare${++copies}`;
  const startedAt = performance.now();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const ms = performance.now() - startedAt;
  await client.query(`DROP DATABASE ${name}`);
  return ms;
}
