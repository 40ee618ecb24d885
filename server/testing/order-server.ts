import { action, signedIn, sql, Type } from '@chowk/kit/kernel';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config/config.ts';
import { openServer } from '../src/db/server.ts';
import { createHttpServer } from '../src/http/server.ts';
import { createTenant } from '../src/tenancy/tenants.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';
import { TestIdentity } from './test-identity.ts';

/** Serves the tenant `acme`, whose orders are rows of the table `placed`. Prints its URL and a token of user 1. */
const config = readConfig(process.env);
const identity = new TestIdentity();
const common = { summary: 'Test', needs: signedIn } as const;
const actions = {
  'orders.create': action({
    ...common,
    http: 'POST /orders',
    input: Type.Object({ item: Type.String() }),
    run: (ctx, { item }) =>
      ctx.tx((tx) => tx.db.row<{ id: number }>(sql`INSERT INTO placed (item) VALUES (${item}) RETURNING id`)),
  }),
  'test.central': action({
    ...common,
    http: 'POST /central',
    tenant: 'none',
    run: async () => {
      await kernel.central.db.run(sql`SELECT pg_advisory_xact_lock_shared(7)`);
      return {};
    },
  }),
};
const kernel = await boot(
  { config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets },
  { identity, modules: [], actions },
);
if (!(await kernel.directory.find('acme'))) {
  await createTenant(kernel.central.db, kernel.databases, { id: 'acme', name: 'Acme' });
  const acme = await kernel.directory.find('acme');
  await acme?.db.run(sql`CREATE TABLE placed (id int GENERATED ALWAYS AS IDENTITY, item text)`);
}
const { caller, token } = identity.mint();
identity.join(caller, 'acme', []);
const app = await createHttpServer(kernel);
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.once('SIGTERM', async () => {
  await app.close();
  await kernel.close();
  process.exit();
});
process.stdout.write(`${JSON.stringify({ url, token })}\n`);
