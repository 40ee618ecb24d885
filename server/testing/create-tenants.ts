import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { createTenant } from '../src/tenancy/tenants.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/** Creates tenants `<prefix>0`, `<prefix>1`, … until it is killed. Prints `creating` when it starts. */
const [prefix = 't'] = process.argv.slice(2);
const config = readConfig(process.env);
const kernel = await boot({ config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets });
process.stdout.write('creating\n');
let next = 0;
const worker = async () => {
  for (;;) {
    const id = `${prefix}${next++}`;
    await createTenant(kernel.central.db, kernel.databases, { id, name: id });
  }
};
await Promise.all([worker(), worker(), worker()]);
