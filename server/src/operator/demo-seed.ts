import { randomInt } from 'node:crypto';
import { fillTenant } from '../demo/fill-tenant.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { showTenant } from '../tenancy/tenants.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';
import { requireOwnRing } from './own-ring.ts';

const maxCustomers = 2_000_000;
const maxSeed = 2 ** 32 - 1;
const progressEveryMs = 2_000;

export const demoSeedCommand: Command = {
  name: 'demo:seed',
  usage: '--tenant=<id or domain> [--customers=<1 to 2000000>] [--seed=<number>] [--json]',
  summary: 'fill a tenant with generated customers, orders, products and conversations',
  options: { tenant: { type: 'string' }, customers: { type: 'string', default: '1000' }, seed: { type: 'string' } },
  async run({ kernel: open, say, table, progress }, { options }) {
    if (!options.tenant) throw new UsageError('--tenant=<id or domain> is required');
    const customers = readInteger('customers', options, 1, maxCustomers);
    const seed = options.seed === undefined ? randomInt(maxSeed) : readInteger('seed', options, 0, maxSeed);
    const kernel = await open();
    const { tenant, database } = await findTenant(kernel, String(options.tenant));
    await requireOwnRing(kernel, tenant.id);
    progress(`Generating ${customers} customers for ${tenant.id} (seed ${seed}) …`);
    const startedAt = performance.now();
    let reportedAt = startedAt;
    const rows = await fillTenant(kernel, {
      tenant,
      database,
      size: customers,
      seed,
      now: kernel.now(),
      onRows(name, count) {
        if (performance.now() - reportedAt < progressEveryMs) return;
        reportedAt = performance.now();
        progress(`  ${name}: ${count.toLocaleString('en')} rows`);
      },
      onStep: (step) => progress(`  ${step}`),
    });
    const counts = [...rows].map(([name, count]) => ({ table: name, rows: count }));
    table(counts, '');
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (!options.json) say(`Done in ${seconds} seconds. Use --seed=${seed} to generate the same data again today.`);
  },
};

function readInteger(name: string, options: CommandInput['options'], min: number, max: number): number {
  const text = String(options[name]);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new UsageError(`--${name} must be an integer from ${min} to ${max}`);
}

async function findTenant({ central, directory }: Kernel, label: string) {
  const tenant: TenantEntry | undefined = await directory.find(label.toLowerCase());
  const database = tenant && (await showTenant(central.db, tenant.id))?.database;
  if (!tenant || !database) throw new Error(`there is no tenant ${label}; run 'chowkd tenant:list' to see all tenants`);
  return { tenant, database };
}
