import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { archiveServices } from '../src/operator/archive-services.ts';
import { exportTenant } from '../src/tenancy/archive-export.ts';
import { importTenant } from '../src/tenancy/archive-import.ts';
import type { ArchiveServices } from '../src/tenancy/archive-services.ts';
import { openArchive } from '../src/tenancy/archive-source.ts';
import { deleteTenant } from '../src/tenancy/remove-tenant.ts';
import { restoreTenant } from '../src/tenancy/restore-tenant.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/** Exports, imports, restores or deletes a tenant and kills itself when the work reaches a moment. */
const [task = '', moment = '', id = '', path = ''] = process.argv.slice(2);
const config = readConfig(process.env);
const kernel = await boot({ config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets });
const services = await archiveServices(kernel);

function dieAt(name: string): void {
  if (name !== moment) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal stops the process, but not before this returns.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** The parts, each of which may be the moment: `before` it is called. */
const watched: ArchiveServices = {
  ...services,
  onProgress: (line) => dieAt(Number.parseInt(line, 10) > 8 ? 'tables' : line),
  files: {
    readContent: (...call) => services.files.readContent(...call),
    writeContent: async (...call) => {
      await services.files.writeContent(...call);
      dieAt('files');
    },
    removeTenant: async (...call) => {
      dieAt('database dropped');
      await services.files.removeTenant(...call);
      dieAt('files removed');
    },
  },
  teams: {
    ...services.teams,
    importTeam: async (...call) => {
      dieAt('team');
      return services.teams.importTeam(...call);
    },
    removeTenant: async (...call) => {
      await services.teams.removeTenant(...call);
      dieAt('rows');
    },
  },
};
const work: Record<string, () => Promise<unknown>> = {
  export: () => exportTenant(watched, id, path),
  import: () => importTenant(watched, path, { id }),
  delete: () => deleteTenant(watched, id),
  restore: async () => restoreTenant(watched, id, await openArchive(path)),
};
await work[task]?.();
process.exit(0);
