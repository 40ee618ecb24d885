import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { moveTenant } from '../src/tenancy/move-tenant.ts';
import { notesModule } from './notes-module.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/** Moves a tenant and kills itself when it reaches a step. */
const [tenantId = '', to = '', step = ''] = process.argv.slice(2);
const config = readConfig(process.env);
const kernel = await boot(
  { config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets },
  { modules: [notesModule] },
);
await moveTenant(kernel.central, kernel.databases, tenantId, {
  to,
  onProgress(line) {
    if (line !== step) return;
    process.kill(process.pid, 'SIGKILL');
    // The signal stops the process, but not before this returns.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
process.exit(0);
