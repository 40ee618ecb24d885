import { userInfo } from 'node:os';
import { sql } from '@chowk/kit/kernel';
import { reloadChannel } from '../rings/ring-reload.ts';
import { recordOperation, requireRing } from '../tenancy/rings.ts';
import type { Command } from './command.ts';

export const ringReloadCommand: Command = {
  name: 'ring:reload',
  usage: '<ring> [--json]',
  summary: "replace the ring's process behind each running front, so that it reads the lock file again",
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, say, table }, { positionals: [name = ''], options }) {
    const { central } = await open();
    const ring = await requireRing(central.db, name);
    await central.db.tx(async (tx) => {
      await recordOperation(tx, { operator: userInfo().username, operation: 'reload', ring: ring.name });
      await tx.run(sql`SELECT pg_notify(${reloadChannel}, ${ring.name})`);
    });
    if (options.json) table([{ ring: ring.name, status: 'requested' }], '');
    else say(`Asked the fronts to replace the process of the ring ${ring.name}; their logs say when it is done.`);
  },
};
