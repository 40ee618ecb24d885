import { type SystemCtx, sql } from '@chowk/kit';
import type { DatabaseSetUp } from './schemas.ts';

/** The client that personal access tokens belong to. */
export const personalClient = 'chowk-personal';

/** Step 2. One at a time: two would create two keys. */
export function setUpDatabase(ctx: SystemCtx): Promise<DatabaseSetUp> {
  const { central, system } = ctx;
  return system.oneAtATime('install database', async () => {
    const { applied, skipped } = await system.migrate();
    const { created } = await system.keys.ensure();
    await central.run(sql`
      INSERT INTO oauth_clients (id, name, grants) VALUES (${personalClient}, 'Personal Access Client', '{personal}')
      ON CONFLICT (id) DO NOTHING`);
    return { applied, skipped, keys_created: created };
  });
}
