import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { repositoryModules } from './repository-modules.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/** A process that runs a job of a tenant once, to be killed meanwhile. */
const [tenant = '', job = ''] = process.argv.slice(2);
const config = readConfig(process.env);
const server = await openServer(config, () => {});
const modules = await repositoryModules();
const kernel = await boot({ config, log: silent, server, secrets: testSecrets }, { modules });
await kernel.jobs.getHandler(job).perform({ job, tenant, data: {}, requestId: 'test' });
await kernel.close();
