import { randomInt } from 'node:crypto';
import { fillTenant } from '../demo/fill-tenant.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { showTenant } from '../tenancy/tenants.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';

const mostCustomers = 2_000_000;
const mostSeed = 2 ** 32 - 1;
/** How often it says how far it is. */
const sayEveryMs = 2_000;

export const demoSeedCommand: Command = {
  name: 'demo:seed',
  usage: '--tenant=<id or domain> [--customers=<1 to 2000000>] [--seed=<number>] [--json]',
  summary: 'fill a tenant with customers, orders, products and conversations that are made up',
  options: { tenant: { type: 'string' }, customers: { type: 'string', default: '1000' }, seed: { type: 'string' } },
  async run({ kernel: open, say, table, progress }, { options }) {
    if (!options.tenant) throw new UsageError('--tenant=<id or domain> is needed');
    const customers = wholeNumber('customers', options, 1, mostCustomers);
    const seed = options.seed === undefined ? randomInt(mostSeed) : wholeNumber('seed', options, 0, mostSeed);
    const kernel = await open();
    const { tenant, database } = await findTenant(kernel, String(options.tenant));
    progress(`Making up ${customers} customers for ${tenant.id} (seed ${seed}) …`);
    const began = performance.now();
    let saidAt = began;
    const rows = await fillTenant(kernel, {
      tenant,
      database,
      ...{ size: customers, seed, now: kernel.now() },
      onRows(name, count) {
        if (performance.now() - saidAt < sayEveryMs) return;
        saidAt = performance.now();
        progress(`  ${name}: ${count.toLocaleString('en')} rows`);
      },
      onStep: (step) => progress(`  ${step}`),
    });
    const counts = [...rows].map(([name, count]) => ({ table: name, rows: count }));
    table(counts, '');
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    if (!options.json) say(`Done in ${seconds} seconds; the same again elsewhere today with --seed=${seed}.`);
  },
};

function wholeNumber(name: string, options: CommandInput['options'], least: number, most: number): number {
  const text = String(options[name]);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}`);
}

async function findTenant({ central, directory }: Kernel, label: string) {
  const tenant: TenantEntry | undefined = await directory.find(label.toLowerCase());
  const database = tenant && (await showTenant(central.db, tenant.id))?.database;
  if (!tenant || !database) throw new Error(`there is no tenant ${label}; 'chowkd tenant:list' lists them`);
  return { tenant, database };
}
