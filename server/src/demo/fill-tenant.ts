import type { Db, Demo } from '@chowk/kit/kernel';
import { Context } from '../context/context.ts';
import { withConnection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { withoutIndexes } from '../db/without-indexes.ts';
import { FileChanges } from '../files/file-store.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { makePlan } from './plan.ts';

/** A statement may write millions of rows. */
const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 6 * 3_600_000 };

/** From this size on, it is faster to drop the indexes and to create them again afterwards. */
const minSizeWithoutIndexes = 5_000;

interface Filling {
  readonly tenant: TenantEntry;
  readonly database: string;
  readonly size: number;
  readonly seed: number;
  readonly now: Date;
  /** Fails with `TenantNotEmpty` if the tenant already has records. */
  readonly mustBeEmpty?: boolean;
  /** Called after each batch with the number of rows that the table has received. */
  onRows(table: string, rows: number): void;
  onStep(step: string): void;
}

export class TenantNotEmpty extends Error {}

/** Fills the tables of all modules that have a demo, in one transaction. Returns the number of rows by table. */
export async function fillTenant(kernel: Kernel, filling: Filling): Promise<ReadonlyMap<string, number>> {
  const { tenant, database, size, mustBeEmpty = false, onRows, onStep } = filling;
  const demos = inOrder(await listDemos(kernel, tenant.id));
  if (demos.length === 0) throw new Error(`no module of ${tenant.id} has demo data`);
  const plan = makePlan(filling, new Map(demos.map(({ alias, demo }) => [alias, demo])));
  const { address } = await kernel.databases.getServer(tenant.id);
  return withConnection(address, database, limits, async (connection) => {
    const rows = new Map<string, number>();
    await inTransaction(connection, async (tx) => {
      const db = countRows(tx, rows, onRows);
      const createContext = (module: string) => {
        const changes = { deliveries: [], addedJobs: [], auditEntries: [], broadcasts: [], files: new FileChanges() };
        const transaction = { db, ...changes };
        return new Context(kernel, { requestId: 'demo:seed', module, tenant, system: true, transaction });
      };
      for (const { alias, demo } of mustBeEmpty ? demos : []) {
        if ((await demo.isEmpty?.(createContext(alias))) === false) throw new TenantNotEmpty();
      }
      const fill = async () => {
        for (const { alias, demo } of demos) {
          onStep(alias);
          await demo.fill(createContext(alias), plan);
        }
        onStep('indexes');
      };
      const tables = demos.flatMap(({ tables }) => tables);
      await withoutIndexes(tx, size < minSizeWithoutIndexes ? [] : tables, fill);
    }).catch(rethrowDuplicate);
    // The planner's statistics are from before.
    await connection.script('ANALYZE');
    return rows;
  });
}

interface NamedDemo {
  readonly alias: string;
  readonly demo: Demo;
  readonly tables: readonly string[];
}

async function listDemos({ modules, installations }: Kernel, tenantId: string): Promise<NamedDemo[]> {
  const demos: NamedDemo[] = [];
  for (const { alias, manifest, definition } of modules) {
    const tables = Object.keys(manifest.data ?? {});
    if (definition.demo && (await installations.has(tenantId, alias)))
      demos.push({ alias, demo: definition.demo, tables });
  }
  return demos;
}

/** Sorts demos so that each comes after the modules in its `after`. */
function inOrder(demos: readonly NamedDemo[]): NamedDemo[] {
  const ordered: NamedDemo[] = [];
  let waiting = [...demos];
  while (waiting.length > 0) {
    const ready = waiting.filter(({ demo }) => !waiting.some(({ alias }) => demo.after?.includes(alias)));
    if (ready.length === 0)
      throw new Error(`the demos of ${waiting.map(({ alias }) => alias).join(', ')} wait for each other`);
    ordered.push(...ready);
    waiting = waiting.filter((demo) => !ready.includes(demo));
  }
  return ordered;
}

function countRows(db: Db, counts: Map<string, number>, onRows: Filling['onRows']): Db {
  return {
    ...db,
    async copy(table, columns, rows) {
      const count = await db.copy(table, columns, rows);
      const total = (counts.get(table) ?? 0) + count;
      counts.set(table, total);
      onRows(table, total);
      return count;
    },
  };
}

/** The same seed generates the same ids all day. */
function rethrowDuplicate(error: unknown): never {
  if ((error as { code?: unknown }).code !== '23505') throw error;
  throw new Error(`the tenant already has data of this seed; use another --seed (${(error as Error).message})`);
}
