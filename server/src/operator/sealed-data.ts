import { type Db, sql } from '@chowk/kit/kernel';
import { addedTasks, countTaskKeyUses, queuedTasks, reencryptTasks } from '../jobs/sealed-tasks.ts';
import type { Kernel } from '../kernel.ts';
import type { Finding } from '../tenancy/doctor.ts';
import {
  countKeyUses,
  type KeyUse,
  type Reencrypted,
  reencryptTables,
  type SealedTable,
} from '../tenancy/sealed-tables.ts';
import { inParallel } from './in-parallel.ts';

/** A database with encrypted data: the central one, or that of a tenant. */
interface SealedDatabase {
  readonly name: string;
  readonly open: () => Promise<Db>;
  readonly tables: readonly SealedTable[];
  readonly tasks: typeof queuedTasks;
}

/** The tenants come first: their tasks move to the queues of the central database. */
export async function sealedDatabases(kernel: Kernel): Promise<SealedDatabase[]> {
  const { central, directory } = kernel;
  const tenants = await central.db.rows<{ id: string }>(sql`
    SELECT id FROM tenants WHERE status IN ('active', 'suspended') ORDER BY id`);
  const tables = declaredTables(kernel);
  return [
    ...tenants.map(({ id }) => ({
      name: id,
      open: async () => {
        const entry = await directory.entry(id);
        if (!entry) throw new Error('the tenant does not exist any more');
        return entry.db;
      },
      tables: [responses, ...tables.tenant.map((table) => ({ ...table, scope: `${id} ` }))],
      tasks: addedTasks,
    })),
    { name: 'central', open: async () => central.db, tables: [responses, ...tables.central], tasks: queuedTasks },
  ];
}

async function keyUses({ open, tables, tasks }: SealedDatabase): Promise<KeyUse[]> {
  const db = await open();
  return [...(await countKeyUses(db, tables)), ...(await countTaskKeyUses(db, tasks))];
}

export async function reencryptDatabase(
  { open, tables, tasks }: SealedDatabase,
  { secrets }: Pick<Kernel, 'secrets'>,
): Promise<Reencrypted[]> {
  const [db, [currentKey = '']] = [await open(), secrets.keyIds];
  return [
    ...(await reencryptTables(db, tables, secrets, currentKey)),
    await reencryptTasks(db, tasks, secrets, currentKey),
  ];
}

/** Secrets that this process cannot read. Databases that cannot be reached are left out: the doctor reports those anyway. */
export async function findUnknownKeys(kernel: Kernel): Promise<Finding[]> {
  const findings = await inParallel(await sealedDatabases(kernel), async (database): Promise<Finding[]> => {
    const uses = await keyUses(database).catch(() => []);
    const unknown = uses.filter(({ keyId }) => !kernel.secrets.keyIds.includes(keyId));
    return unknown.map(({ table, keyId, count }) => ({
      problem: 'unknown key',
      subject: `${database.name}: ${count} in ${table}, encrypted with ${keyId || 'no key'}`,
      remedy: "add the key to APP_PREVIOUS_KEYS and run 'chowkd keys:reencrypt'",
    }));
  });
  return findings.flat();
}

/** The stored responses of requests with an `Idempotency-Key`. */
const responses: SealedTable = {
  table: 'idempotency_keys',
  columns: ['response'],
  field: "caller || ' ' || key",
  purpose: 'idempotency',
  scope: '',
};

/** The tables that modules declare as `sealed`. */
function declaredTables({ modules }: Kernel): { central: SealedTable[]; tenant: SealedTable[] } {
  const declared = modules.flatMap(({ alias, manifest }) =>
    Object.entries(manifest.data ?? {}).flatMap(([table, { sealed }]) => {
      if (!sealed) return [];
      const { columns, field, purpose = `module ${alias}` } = sealed;
      return [{ isCentral: manifest.system ?? false, table, columns, field: `"${field}"`, purpose, scope: '' }];
    }),
  );
  return {
    central: declared.filter(({ isCentral }) => isCentral),
    tenant: declared.filter(({ isCentral }) => !isCentral),
  };
}
