import { randomBytes } from 'node:crypto';
import { sql } from '@chowk/kit/kernel';
import type { Kernel } from '../kernel.ts';
import { dropDatabase } from '../tenancy/central-database.ts';
import type { Finding } from '../tenancy/doctor.ts';
import { describeSchema, findDifference, inDatabase } from '../tenancy/move-schema.ts';
import { findServer } from '../tenancy/servers.ts';
import { inParallel } from './in-parallel.ts';

interface Row {
  readonly id: string;
  readonly server: string;
  readonly database: string;
}

/** Tenants with the migrations of this version whose schema is another one. Databases that cannot be reached are left out. */
export async function findSchemaDifferences({ central, databases }: Kernel): Promise<Finding[]> {
  const { migrationIds } = databases;
  const tenants = await central.db.rows<Row>(sql`
    SELECT t.id, t.database_server AS server, t.database_name AS database
    FROM tenants t JOIN tenant_migrations m ON m.tenant_id = t.id
    WHERE t.status IN ('active', 'suspended') AND m.status = 'done'
      AND m.applied @> ${migrationIds}::text[] AND m.applied <@ ${migrationIds}::text[] ORDER BY t.id`);
  if (tenants.length === 0) return [];
  const expected = await describeTemplate({ central, databases });
  const findings = await inParallel(tenants, async ({ id, server: name, database }): Promise<Finding[]> => {
    const server = findServer(central, name);
    const actual = server && (await inDatabase(server, database, describeSchema).catch(() => undefined));
    const difference = actual && findDifference(actual, expected);
    if (!difference) return [];
    const remedy = 'undo the change that was made by hand, or restore the tenant';
    return [{ problem: 'schema differs', subject: `${id}: ${difference}`, remedy }];
  });
  return findings.flat();
}

/** Nobody can connect to the template itself. A copy that a crash leaves is found as an orphaned spare. */
async function describeTemplate({ central, databases }: Pick<Kernel, 'central' | 'databases'>): Promise<string[]> {
  const [main] = central.servers;
  const copy = `${central.database}_spare_doctor_${randomBytes(4).toString('hex')}`;
  await databases.copyTemplate(copy, main);
  try {
    return await inDatabase(main, copy, describeSchema);
  } finally {
    await dropDatabase(main, copy);
  }
}
