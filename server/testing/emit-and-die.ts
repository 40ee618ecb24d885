import { afterCommit } from '@chowk/kit';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config.ts';
import { Context } from '../src/context.ts';
import { openServer } from '../src/db/server.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';
import { testModule } from './test-module.ts';

/** Commits three events of a tenant and is killed before they are delivered. */
const [tenantId = ''] = process.argv.slice(2);
const config = readConfig(process.env);
const listeners = ['one', 'two'].map((name) => afterCommit('note.created' as never, name, async () => {}));
const modules = [testModule({ alias: 'source', emits: ['note.created'] }), testModule({ alias: 'far', listeners })];
const kernel = await boot(
  { config, log: silent, server: await openServer(config, () => {}), secrets: testSecrets },
  { modules },
);
kernel.deliveries.wake = () => process.kill(process.pid, 'SIGKILL') as never;
const tenant = await kernel.directory.find(tenantId);
const ctx = new Context(kernel, { requestId: 'test', module: 'source', tenant, system: true });
await ctx.tx(async (inner) => {
  for (const n of [1, 2, 3]) await inner.emit('note.created' as never, { n, about: 'same' } as never);
});
