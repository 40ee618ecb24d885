import { setTimeout as pause } from 'node:timers/promises';
import type { Log, SystemCtx } from '@chowk/kit/kernel';
import { provision } from '../../modules/onboarding/provisioning.ts';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { Context } from '../src/context/context.ts';
import { openServer } from '../src/db/server.ts';
import { loadLockedModules } from '../src/loader/load-modules.ts';
import { readLockFile } from '../src/loader/lock-file.ts';
import { lockPath } from '../src/loader/lock-path.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/**
 * Provisions applications at once and kills itself when the first of them begins or ends a step. For `inside`, the parent
 * kills it during the creation of a database.
 */
const [moment = '', step = '', ...ids] = process.argv.slice(2);
const messages: Readonly<Record<string, string>> = {
  begin: 'provisioning: a step begins',
  end: 'provisioning: a step is done',
};
const log: Log = {
  ...silent,
  debug(details, message) {
    if (message === messages[moment] && (details as { step?: string }).step === step) {
      process.kill(process.pid, 'SIGKILL');
      // The signal stops the process, but not before this returns.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
  },
};
const config = readConfig(process.env);
// Without a check that modules which are not needed here are there.
const modules = await loadLockedModules(config, await readLockFile(lockPath(config)));
const kernel = await boot(
  { config, log, server: await openServer(config, () => {}), secrets: testSecrets },
  { modules },
);
const ctx: SystemCtx = new Context(kernel, { requestId: 'test', module: 'onboarding', system: true });
process.stdout.write('begun\n');
await Promise.allSettled(ids.map((id) => provision(ctx, id)));
if (moment === 'inside') await pause(60_000);
process.exit(0);
