import type { Db, Demo, DemoPlan } from '@chowk/kit';
import { Context } from '../context.ts';
import { withConnection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { onBareTables } from '../db/without-indexes.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/** Nobody waits for an answer of a statement that writes a million rows. */
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 6 * 3_600_000 };

/** So many customers are written faster without indexes, which are made afterwards. */
const worthIt = 5_000;

interface Filling {
  readonly tenant: TenantEntry;
  readonly database: string;
  readonly plan: DemoPlan;
  /** Called now and then with how many rows a table was given so far. */
  onRows(table: string, rows: number): void;
  onStep(step: string): void;
}

/** Fills the tables of every module that the tenant has and that knows how: all of them or none. Says how many rows. */
export async function fillTenant(
  kernel: Kernel,
  { tenant, database, plan, onRows, onStep }: Filling,
): Promise<ReadonlyMap<string, number>> {
  const demos = inOrder(await demosOf(kernel, tenant.id));
  if (demos.length === 0) throw new Error(`${tenant.id} has no module that could be filled`);
  return withConnection(kernel.central.address, database, limits, async (connection) => {
    const rows = new Map<string, number>();
    await inTransaction(connection, async (tx) => {
      const db = counting(tx, rows, onRows);
      const fill = async () => {
        for (const { alias, demo } of demos) {
          onStep(alias);
          const transaction = { db, hasEvents: false, auditEntries: [] };
          const ctx = new Context(kernel, { requestId: 'demo:seed', module: alias, tenant, system: true, transaction });
          await demo.fill(ctx, plan);
        }
        onStep('indexes');
      };
      const tables = demos.flatMap(({ tables }) => tables);
      await onBareTables(tx, plan.customers < worthIt ? [] : tables, fill);
    }).catch(explain);
    // What PostgreSQL knows of the tables is from before.
    await connection.script('ANALYZE');
    return rows;
  });
}

interface NamedDemo {
  readonly alias: string;
  readonly demo: Demo;
  readonly tables: readonly string[];
}

async function demosOf({ modules, installations }: Kernel, tenantId: string): Promise<NamedDemo[]> {
  const found: NamedDemo[] = [];
  for (const { alias, manifest, parts } of modules) {
    const tables = Object.keys(manifest.data ?? {});
    if (parts.demo && (await installations.has(tenantId, alias))) found.push({ alias, demo: parts.demo, tables });
  }
  return found;
}

/** Each after those that it waits for. */
function inOrder(demos: readonly NamedDemo[]): NamedDemo[] {
  const ordered: NamedDemo[] = [];
  let waiting = [...demos];
  while (waiting.length > 0) {
    const ready = waiting.filter(({ demo }) => !waiting.some(({ alias }) => demo.after?.includes(alias)));
    if (ready.length === 0) throw new Error(`${waiting.map(({ alias }) => alias).join(', ')} wait for each other`);
    ordered.push(...ready);
    waiting = waiting.filter((one) => !ready.includes(one));
  }
  return ordered;
}

function counting(db: Db, counts: Map<string, number>, onRows: Filling['onRows']): Db {
  return {
    ...db,
    async copy(table, columns, rows) {
      const count = await db.copy(table, columns, rows);
      const soFar = (counts.get(table) ?? 0) + count;
      counts.set(table, soFar);
      onRows(table, soFar);
      return count;
    },
  };
}

/** The ids of a seed are the same all day: two of them in one tenant meet. */
function explain(error: unknown): never {
  if ((error as { code?: unknown }).code !== '23505') throw error;
  throw new Error(`the tenant has something of this seed already; take another (${(error as Error).message})`);
}
