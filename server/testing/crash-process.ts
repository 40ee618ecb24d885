import { type Ctx, sql } from '@chowk/kit/kernel';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { Context } from '../src/context/context.ts';
import { openServer } from '../src/db/server.ts';
import { causeWork, crashMail, crashModule } from './crash-module.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/**
 * A process that is killed at a moment of its work for a tenant: `before` the commit, `inside` it (by the parent, while a
 * trigger delays it), `after` it, or while its listener runs (`listening`, by the parent).
 */
const [tenantId = '', effect = '', moment = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL') as never;
const hang = () => new Promise<never>(() => setInterval(() => {}, 1_000));

const config = readConfig(process.env);
const modules = [
  crashModule({
    async event() {
      process.stdout.write('begun\n');
      await hang();
    },
    job: async () => {},
  }),
];
const kernel = await boot(
  { config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets },
  { modules },
);
const tenant = await kernel.directory.find(tenantId);
const ctx: Ctx = new Context(kernel, { requestId: 'test', module: 'crash', tenant, system: true });

if (effect === 'mail') {
  await kernel.jobs.start();
  await kernel.central.db.tx(async (tx) => {
    await tx.run(sql`INSERT INTO crash_marks VALUES (${tenantId})`);
    await kernel.services.mail.send(crashMail(`${tenantId}@example.com`), tx);
    if (moment === 'before') die();
  });
} else {
  if (moment === 'listening') await kernel.deliveries.work();
  // Otherwise the process must not deliver anything itself before it dies.
  else kernel.deliveries.wake = kernel.deliveries.moveJobs = hang;
  await ctx.tx(async (tx) => {
    await causeWork(tx);
    if (moment === 'before') die();
  });
}
if (moment === 'after') die();
await hang();
