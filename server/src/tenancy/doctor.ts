import { type Db, sql } from '@chowk/kit/kernel';
import { countOf } from '../count-of.ts';
import { type Central, dropDatabase, type TenantServer } from './central-database.ts';
import { migrateOne, migrationState } from './migrate-fleet.ts';
import { listInterruptedMoves, settleMove } from './move-tenant.ts';
import { findInterrupted } from './remove-tenant.ts';
import { listInterruptedRestores, settleRestore } from './restore-record.ts';
import { findUnreachable, mainServer } from './servers.ts';
import { installationId, ownerMark, type TenantDatabases } from './tenant-databases.ts';
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

/** Finds incomplete tenants, missing databases and orphaned databases, on every server. */
export async function findProblems(
  central: Central,
  databases: TenantDatabases,
  eraseTenant?: (id: string) => Promise<void>,
): Promise<Finding[]> {
  const { db, servers } = central;
  const unreachable = await findUnreachable(servers);
  const findings = [
    ...[...unreachable.values()].map(unreachableServer),
    ...(await unknownServers(central)),
    ...(await interruptedMoves(central)),
    ...(await interruptedRestores(central)),
    ...(await interruptedTenants(central, eraseTenant)),
    ...(await unfinishedTenants(db, databases)),
  ];
  const reachable = servers.filter(({ name }) => !unreachable.has(name));
  for (const server of reachable) findings.push(...(await missingDatabases(db, server)));
  findings.push(...(await missingMigrations(db, databases)), ...(await missingDomains(db)));
  for (const server of reachable) {
    findings.push(...(await staleRows(db, server)), ...(await orphans(central, databases, server)));
  }
  return findings;
}

function unreachableServer({ message }: Error): Finding {
  return { problem: 'unreachable server', subject: message, remedy: 'start it, or correct its address' };
}

async function unknownServers({ db, servers }: Central): Promise<Finding[]> {
  const rows = await db.rows<{ name: string; count: number }>(sql`
    SELECT database_server AS name, count(*) FROM tenants
    WHERE database_server <> ALL (${servers.map(({ name }) => name)}::text[]) GROUP BY 1 ORDER BY 1`);
  return rows.map(({ name, count }) => ({
    problem: 'unknown server',
    subject: `${name} (${countOf(count, 'tenant')})`,
    remedy: 'name it in DATABASE_SERVERS',
  }));
}

async function interruptedMoves(central: Central): Promise<Finding[]> {
  const moves = await listInterruptedMoves(central);
  return moves.map(({ tenant_id: id, step }) => ({
    problem: 'interrupted move',
    subject: id,
    remedy: step === 'switched' ? 'finish it' : 'undo it',
    repair: () => settleMove(central, id),
  }));
}

async function interruptedRestores(central: Central): Promise<Finding[]> {
  return (await listInterruptedRestores(central)).map(({ tenantId, step }) => ({
    problem: 'interrupted restore',
    subject: tenantId,
    remedy: step === 'switched' ? 'finish it' : 'undo it',
    repair: () => settleRestore(central, tenantId),
  }));
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

async function missingDatabases(db: Db, server: TenantServer): Promise<Finding[]> {
  const rows = await db.rows<{ id: string; database: string }>(sql`
    SELECT t.id, t.database_name AS database FROM tenants t
    WHERE t.status IN ('active', 'suspended') AND t.database_server = ${server.name}
      AND t.database_name <> ALL (${await databasesOn(server)}::text[]) ORDER BY t.id`);
  return rows.map(({ id, database }) => ({
    problem: 'missing database',
    subject: id,
    remedy: `restore ${database} from a backup${onServer(server)}`,
  }));
}

async function databasesOn({ db }: TenantServer): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`SELECT datname AS name FROM pg_database`);
  return rows.map(({ name }) => name);
}

async function missingMigrations(db: Db, databases: TenantDatabases): Promise<Finding[]> {
  const rows = await db.rows<{ id: string; state: string; error: string | null }>(sql`
    SELECT * FROM (SELECT t.id, ${migrationState(databases.migrationIds)} AS state,
        (SELECT m.error FROM tenant_migrations m WHERE m.tenant_id = t.id) AS error
      FROM tenants t WHERE t.status IN ('active', 'suspended')) s WHERE state <> 'done' ORDER BY id`);
  return rows.map(({ id, state, error }) => ({
    problem: state === 'failed' ? 'failed migration' : 'missing migrations',
    subject: error === null ? id : `${id}: ${error}`,
    remedy: 'migrate its database',
    repair: () => migrateOne(db, databases, id),
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

async function staleRows(db: Db, server: TenantServer): Promise<Finding[]> {
  const rows = await db.rows<{ name: string }>(sql`
    SELECT name FROM prepared_databases
    WHERE ready AND server = ${server.name} AND name <> ALL (${await databasesOn(server)}::text[]) ORDER BY name`);
  return rows.map(({ name }) => ({
    problem: 'missing spare database',
    subject: `${name}${onServer(server)}`,
    remedy: 'delete its row',
    repair: async () => {
      await db.run(sql`DELETE FROM prepared_databases WHERE server = ${server.name} AND name = ${name}`);
    },
  }));
}

/** Databases of this installation that no row refers to. Databases of other installations are ignored. */
async function orphans(central: Central, databases: TenantDatabases, server: TenantServer): Promise<Finding[]> {
  const { db, database } = central;
  const mark = ownerMark(await installationId(db));
  const spares = `${database}_spare_`;
  const candidates = await server.db.rows<{ name: string }>(sql`
    SELECT datname AS name FROM pg_database
    WHERE datallowconn AND (starts_with(datname, ${spares}) OR datname ~ '^(tenant|restored_|kept_|rehearsal_)')
      AND coalesce(shobj_description(oid, 'pg_database') = ${mark}, true)`);
  const rows = await db.rows<{ name: string; spare: boolean; tenant: string | null }>(sql`
    SELECT c.name, starts_with(c.name, ${spares}) AS spare,
      (SELECT t.id FROM tenants t WHERE t.database_name = c.name) AS tenant
    FROM unnest(${candidates.map(({ name }) => name)}::text[]) AS c(name)
    WHERE NOT EXISTS (SELECT FROM tenants t LEFT JOIN tenant_moves m ON m.tenant_id = t.id
        WHERE t.database_name = c.name AND (${server.name} IN (t.database_server, m.source, m.target)
          OR t.database_server <> ALL (${central.servers.map(({ name }) => name)}::text[])))
      AND NOT EXISTS (SELECT FROM tenant_restores r JOIN tenants t ON t.id = r.tenant_id
        WHERE t.database_server = ${server.name} AND c.name IN (r.previous, r.restored, r.kept))
      AND NOT EXISTS (SELECT FROM prepared_databases p WHERE p.server = ${server.name} AND p.name = c.name)
    ORDER BY 1`);
  const findings: Finding[] = [];
  for (const { name, spare, tenant } of rows) {
    if (!(await databases.isOurs(name, server).catch(() => false))) continue;
    if (tenant !== null) {
      findings.push(misplaced(tenant, name, server));
      continue;
    }
    const orphan = {
      subject: `${name}${onServer(server)}`,
      remedy: 'drop it',
      repair: () => dropDatabase(server, name),
    };
    // A spare is empty; an orphaned tenant database may hold the only copy of the data.
    if (spare) findings.push({ problem: 'orphaned spare', ...orphan });
    // A rehearsal under way has one, too.
    else if (name.startsWith('rehearsal_')) findings.push({ problem: 'database of a rehearsal', ...orphan });
    else if (name.startsWith('kept_')) {
      const remedy = 'drop it when you do not need its data any more';
      findings.push({ problem: 'kept database', ...orphan, remedy, destroysData: true });
    } else findings.push({ problem: 'orphaned database', ...orphan, destroysData: true });
  }
  return findings;
}

/** After restoring an old backup it may be the only copy of the tenant's data, so that an operator must decide. */
function misplaced(tenant: string, database: string, server: TenantServer): Finding {
  return {
    problem: 'database on another server',
    subject: `${database} on ${server.name}`,
    remedy: `set database_server of ${tenant} to ${server.name} if its data is there, else drop the database`,
  };
}

function onServer({ name }: TenantServer): string {
  return name === mainServer ? '' : ` on ${name}`;
}
