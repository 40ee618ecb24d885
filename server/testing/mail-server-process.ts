import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { startReceiver } from '../src/smtp/receiver.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/** A process that receives mails and performs all jobs until it is killed. */
const config = readConfig(process.env);
const server = await openServer(config, () => {});
const kernel = await boot({ config, log: silent, server, secrets: testSecrets });
await kernel.jobs.start();
await startReceiver(kernel);
await kernel.work();
process.stdout.write('ready\n');
