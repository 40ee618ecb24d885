import { type ModuleCommand, type SystemCtx, sql } from '@chowk/kit';
import { installedKey } from './installed.ts';
import { removeMarker } from './marker.ts';
import { seedData } from './seed-data.ts';

export const resetCommand: ModuleCommand = {
  name: 'install:reset',
  usage: '[--force]',
  summary: 'destroy all data and start again at step 1 of the installation',
  options: { force: { type: 'boolean' } },
  async run(ctx, { options }, { ask, progress, say }) {
    if (!options.force) await confirm(ctx, ask);
    await reset(ctx);
    progress('✓ all databases dropped, central database created');
    progress('✓ marker file removed');
    const { roles, permissions, modules, settings } = await seedData(ctx);
    progress(`✓ seed: ${roles} roles, ${permissions} permissions, ${modules} modules, ${settings} settings`);
    say(`The platform is not installed. Start at ${ctx.system.url}/install or with chowkd install`);
  },
};

async function confirm({ central }: SystemCtx, ask: (question: string) => Promise<string | undefined>): Promise<void> {
  const row = await central.row<{ value: string }>(
    sql`SELECT value FROM platform_settings WHERE key = 'platform.name'`,
  );
  const name = row?.value ?? 'Chowk';
  const answer = await ask(`This destroys all data of every tenant. Type ${name} to continue:`);
  if (answer === undefined) throw new Error('this destroys all data; without a terminal, confirm it with --force');
  if (answer !== name) throw new Error(`the answer is not ${name}; nothing was deleted`);
}

/** Waits for an owner that is being created. */
async function reset(ctx: SystemCtx): Promise<void> {
  await ctx.system.runExclusively('install owner', async () => {
    // First, so that an interrupted reset leaves no marker file without data.
    await removeMarker(ctx);
    await ctx.system.reset();
    await ctx.system.cache.delete(installedKey);
    // Again: a concurrent check may have written it.
    await removeMarker(ctx);
  });
}
