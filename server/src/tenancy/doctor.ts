import { type Db, sql } from '@chowk/kit';
import type { Central } from './central-database.ts';
import { dropDatabase } from './central-database.ts';
import { findInterrupted } from './remove-tenant.ts';
import type { TenantDatabases } from './tenant-databases.ts';
import { addRandomDomain, finishTenant } from './tenants.ts';

export interface Finding {
  readonly problem: string;
  readonly subject: string;
  readonly remedy: string;
  /** Absent: the operator must act. */
  readonly repair?: () => Promise<void>;
  /** The repair deletes data and needs its own option. */
  readonly destroysData?: true;
}

/** The creation of an older tenant was interrupted. */
const creationLimit = sql`interval '5 minutes'`;

/** Finds incomplete tenants, missing databases and orphaned databases. */
export async function findProblems(
  central: Central,
  databases: TenantDatabases,
  eraseTenant?: (id: string) => Promise<void>,
): Promise<Finding[]> {
  const { db } = central;
  return [
    ...(await unfinishedTenants(db, databases)),
    ...(await interruptedTenants(central, eraseTenant)),
    ...(await missingDatabases(db)),
    ...(await missingDomains(db)),
    ...(await staleRows(db)),
    ...(await orphans(central, databases)),
  ];
}

async function unfinishedTenants(db: Db, databases: TenantDatabases): Promise<Finding[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT id FROM tenants WHERE status = 'creating' AND created_by_module IS NULL AND created_at < now() - ${creationLimit} ORDER BY id`);
  return rows.map(({ id }) => ({
    problem: 'unfinished tenant',
    subject: id,
    remedy: 'finish its creation',
    repair: () => finishTenant(db, databases, id),
  }));
}

async function interruptedTenants(central: Central, eraseTenant: ((id: string) => Promise<void>) | undefined) {
  return (await findInterrupted(central)).map(({ id, status }) => ({
    problem: status === 'importing' ? 'interrupted import' : 'interrupted deletion',
    subject: id,
    remedy: status === 'importing' ? 'remove what it has created' : 'finish it',
    ...(eraseTenant ? { repair: () => eraseTenant(id) } : {}),
  }));
}

async function missingDatabases(db: Db): Promise<Finding[]> {
  const rows = await db.rows<{ id: string; database: string }>(sql`
    SELECT t.id, t.database_name AS database FROM tenants t
    WHERE t.status IN ('active', 'suspended') AND t.database_server = 'main'
      AND NOT EXISTS (SELECT FROM pg_database d WHERE d.datname = t.database_name) ORDER BY t.id`);
  return rows.map(({ id, database }) => ({
    problem: 'missing database',
    subject: id,
    remedy: `restore ${database} from a backup`,
  }));
}

async function missingDomains(db: Db): Promise<Finding[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT id FROM tenants t WHERE status IN ('active', 'suspended')
      AND NOT EXISTS (SELECT FROM domains d WHERE d.tenant_id = t.id AND d.kind = 'random') ORDER BY id`);
  return rows.map(({ id }) => ({
    problem: 'no random domain',
    subject: id,
    remedy: 'add one',
    repair: () => addRandomDomain(db, id),
  }));
}

async function staleRows(db: Db): Promise<Finding[]> {
  const rows = await db.rows<{ name: string }>(sql`
    SELECT name FROM prepared_databases p
    WHERE ready AND NOT EXISTS (SELECT FROM pg_database d WHERE d.datname = p.name) ORDER BY name`);
  return rows.map(({ name }) => ({
    problem: 'missing spare database',
    subject: name,
    remedy: 'delete its row',
    repair: async () => {
      await db.run(sql`DELETE FROM prepared_databases WHERE name = ${name}`);
    },
  }));
}

/** Databases of this installation that no row refers to. Databases of other installations are ignored. */
async function orphans(central: Central, databases: TenantDatabases): Promise<Finding[]> {
  const { db, database } = central;
  const rows = await db.rows<{ name: string; spare: boolean }>(sql`
    SELECT datname AS name, starts_with(datname, ${`${database}_spare_`}) AS spare FROM pg_database
    WHERE datallowconn AND (starts_with(datname, 'tenant') OR starts_with(datname, ${`${database}_spare_`}))
      AND NOT EXISTS (SELECT FROM tenants WHERE database_name = datname)
      AND NOT EXISTS (SELECT FROM prepared_databases WHERE name = datname)
      AND coalesce(shobj_description(oid, 'pg_database') = (SELECT 'chowk ' || id FROM installation), true)
    ORDER BY 1`);
  const findings: Finding[] = [];
  for (const { name, spare } of rows) {
    if (!(await databases.isOurs(name).catch(() => false))) continue;
    const repair = () => dropDatabase(central, name);
    // A spare is empty; an orphaned tenant database may hold the only copy of the data.
    if (spare) findings.push({ problem: 'orphaned spare', subject: name, remedy: 'drop it', repair });
    else findings.push({ problem: 'orphaned database', subject: name, remedy: 'drop it', repair, destroysData: true });
  }
  return findings;
}
