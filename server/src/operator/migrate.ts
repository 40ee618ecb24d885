import { openServer } from '../db/server.ts';
import { loadModules } from '../loader/load-modules.ts';
import { readMigrationSources } from '../loader/migration-sources.ts';
import { migrateFleet } from '../tenancy/migrate-fleet.ts';
import { type Pace, planMigration, type RingPlan } from '../tenancy/migration-plan.ts';
import { requireVersion } from '../tenancy/minimum-version.ts';
import { type Command, type CommandInput, type Session, UsageError } from './command.ts';
import { ProgressBar } from './progress-bar.ts';
import { enableModules, seedModules } from './seed-modules.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '[--plan] [--parallel=<1 to 32>] [--batch=<tenants> --pause=<seconds>] [--own-ring] [--json]',
  summary:
    'migrate the central database and then all tenant databases; with --own-ring, those of the ring RING_NAME; with --plan, only say what would be done',
  options: {
    plan: { type: 'boolean' },
    parallel: { type: 'string', default: '4' },
    batch: { type: 'string', default: '1000000' },
    pause: { type: 'string', default: '0' },
    'own-ring': { type: 'boolean' },
  },
  async run(session, { options }) {
    const { config, kernel, say, table, progress } = session;
    const parallel = readNumber(options, 'parallel', { min: 1, max: 32 });
    const batch = readNumber(options, 'batch', { min: 1, max: 1_000_000 });
    const pauseMs = readNumber(options, 'pause', { min: 0, max: 3_600 }) * 1_000;
    if (options.plan)
      return printPlan(session, {
        parallel,
        batch,
        pauseMs,
        isOwnRing: options['own-ring'] === true,
        isJson: options.json === true,
      });
    const platform = await kernel();
    const { central, databases } = platform;
    await seedModules(platform);
    progress('The central database is up to date.');
    for (const server of await databases.ensureTemplates()) progress(`  cannot reach the database server ${server}`);
    let bar: ProgressBar | undefined;
    const result = await migrateFleet(central.db, databases, {
      parallel,
      batch,
      pauseMs,
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

function readNumber(
  options: CommandInput['options'],
  name: string,
  { min, max }: { min: number; max: number },
): number {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be an integer from ${min} to ${max}`);
}

/** Reads the databases as they are: booting the platform would migrate the central database. */
async function printPlan(
  { config, say, table, progress }: Session,
  { isOwnRing, isJson, ...pace }: Pace & { readonly isOwnRing: boolean; readonly isJson: boolean },
): Promise<void> {
  const { central, tenant } = await readMigrationSources(await loadModules(config));
  const server = await openServer(config, progress, { creates: false });
  try {
    await requireVersion(server.address, server.centralDatabase);
    const ring = isOwnRing ? { ring: config.ringName } : {};
    const plan = await planMigration(server.address, server.centralDatabase, { central, tenant, ...pace, ...ring });
    if (isJson) return table([plan], '');
    say(
      plan.central.length === 0
        ? 'The central database is up to date.'
        : `Central database: ${plan.central.join(', ')}`,
    );
    table(plan.rings.map(formatRing), 'There are no tenants.');
  } finally {
    await server.close();
  }
}

function formatRing({ estimated_seconds: seconds, pause_seconds, migrations, ...ring }: RingPlan): object {
  const pauses = pause_seconds === 0 ? '' : ` and ${pause_seconds} s of pauses`;
  const estimate = `${seconds === null ? 'not measured yet' : `${seconds} s`}${pauses}`;
  return { ...ring, migrations: migrations.length === 0 ? 'none' : migrations.join(', '), estimate };
}
