import { type ModuleCommand, type SystemCtx, sql } from '@chowk/kit';
import { installedKey } from './installed.ts';
import { removeMarker } from './marker.ts';

export const resetCommand: ModuleCommand = {
  name: 'install:reset',
  usage: '[--force]',
  summary: 'destroy all data and begin anew, at step 1 of the installation',
  options: { force: { type: 'boolean' } },
  async run(ctx, { options }, { ask, progress, say }) {
    if (!options.force) await confirm(ctx, ask);
    await reset(ctx);
    progress('✓ every database was dropped, and the central one made anew');
    progress('✓ the marker file is gone');
    const { roles, permissions, modules, settings } = await ctx.platform.seed();
    progress(`✓ seed: ${roles} roles, ${permissions} permissions, ${modules} modules, ${settings} settings`);
    say(`Nothing is installed any more. Begin at ${ctx.platform.url}/install or with chowkd install`);
  },
};

async function confirm({ central }: SystemCtx, ask: (question: string) => Promise<string | undefined>): Promise<void> {
  const row = await central.row<{ value: string }>(
    sql`SELECT value FROM platform_settings WHERE key = 'platform.name'`,
  );
  const name = row?.value ?? 'Chowk';
  const answer = await ask(`This destroys all data of every tenant. Type ${name} to go on:`);
  if (answer === undefined) throw new Error('this destroys all data; where nobody can be asked, say --force');
  if (answer !== name) throw new Error(`nothing was done: that was not ${name}`);
}

/** After an owner that is being created, not into its work. */
async function reset(ctx: SystemCtx): Promise<void> {
  await ctx.platform.oneAtATime('install owner', async () => {
    // First, so that an interrupted reset leaves no marker without data.
    await removeMarker(ctx);
    await ctx.platform.reset();
    await ctx.platform.cache.delete(installedKey);
    // Again: someone may have looked in between and found it missing.
    await removeMarker(ctx);
  });
}
