import { job, Type } from '@chowk/kit/kernel';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';
import { testModule } from './test-module.ts';

/** Starts a job of the tenant and never finishes it. Prints `begun` when it has started. */
const [tenantId = ''] = process.argv.slice(2);
const config = readConfig(process.env);
const stuck = job({
  data: Type.Unknown(),
  queue: 'slow',
  retries: [1],
  run: async () => {
    process.stdout.write('begun\n');
    await new Promise(() => setInterval(() => {}, 1_000));
  },
});
const modules = [testModule({ alias: 'work', jobs: { 'work.slow': stuck } })];
const kernel = await boot(
  { config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets },
  { modules },
);
await kernel.work(['slow']);
await kernel.jobs.add({ job: 'work.slow', tenant: tenantId, data: {}, requestId: 'test' });
