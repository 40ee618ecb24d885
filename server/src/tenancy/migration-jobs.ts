import { systemJob, Type } from '@chowk/kit/kernel';
import type { Central } from './central-database.ts';
import { migrateNewTenants } from './migrate-fleet.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/** The kernel's job that migrates tenants which a process of an older version has created during an upgrade. */
export function migrationJobs(central: Pick<Central, 'db'>, databases: TenantDatabases, ring: string) {
  return {
    'kernel.migrate_new_tenants': systemJob({
      data: Type.Object({}),
      schedule: '* * * * *',
      async run({ log }) {
        for (const problem of await migrateNewTenants(central.db, databases, ring)) {
          log.error({}, `could not migrate a new tenant; see chowkd tenant:doctor: ${problem}`);
        }
      },
    }),
  };
}
