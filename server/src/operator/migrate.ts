import { migrateFleet } from '../tenancy/migrate-fleet.ts';
import { type Command, UsageError } from './command.ts';
import { ProgressBar } from './progress-bar.ts';
import { enableModules, seedModules } from './seed-modules.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '[--parallel=<1 to 32>] [--own-ring] [--json]',
  summary: 'migrate the central database and then all tenant databases; with --own-ring, those of the ring RING_NAME',
  options: { parallel: { type: 'string', default: '4' }, 'own-ring': { type: 'boolean' } },
  async run({ config, kernel, say, table, progress }, { options }) {
    const parallel = Number(options.parallel);
    if (!Number.isInteger(parallel) || parallel < 1 || parallel > 32) {
      throw new UsageError('--parallel must be an integer from 1 to 32');
    }
    const platform = await kernel();
    const { central, databases } = platform;
    await seedModules(platform);
    progress('The central database is up to date.');
    for (const server of await databases.ensureTemplates()) progress(`  cannot reach the database server ${server}`);
    let bar: ProgressBar | undefined;
    const result = await migrateFleet(central.db, databases, {
      parallel,
      ...(options['own-ring'] ? { ring: config.ringName } : {}),
      onStart: (total) => {
        bar = total > 0 ? new ProgressBar(total) : undefined;
      },
      onStep: (_, error) => bar?.step(!error),
    });
    await enableModules(platform);
    if (options.json) table([result], '');
    else say(`${result.done} done, ${result.failed.length} failed, ${result.pending} pending`);
    for (const { id, error } of result.failed) progress(`  ${id}: ${error}`);
    if (result.failed.length > 0)
      throw new Error("some tenants were not migrated; fix the cause and run 'chowkd migrate' again");
  },
};
