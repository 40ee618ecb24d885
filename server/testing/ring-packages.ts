import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { folderIntegrity, type LockFile, writeLockFile } from '../src/loader/lock-file.ts';

/*
 * Three versions of a module, as installed packages. An entry gets a color with 2.0.0, which a migration adds; 3.0.0 requires a
 * color and counts entries. Every job and every delivery writes the version that did it.
 */

const defaultLock = resolve(import.meta.dirname, '../../modules/manifest.lock.json');

export const ringVersions = { stable: '1.0.0', edge: '2.0.0', canary: '3.0.0' } as const;
export type RingName = keyof typeof ringVersions;

const migrations = [
  `CREATE TABLE probe_entries (id uuid PRIMARY KEY, text text NOT NULL);
   CREATE TABLE probe_runs (entry uuid NOT NULL, kind text NOT NULL, version text NOT NULL);`,
  `ALTER TABLE probe_entries ADD COLUMN color text NOT NULL DEFAULT 'none';`,
];

function moduleCode(version: string): string {
  const major = Number(version[0]);
  return `
    import { action, afterCommit, defineEvent, defineModule, job, sql, Type } from '@chowk/kit';

    const version = '${version}';
    const Entry = Type.Object({ id: Type.String(), text: Type.String()${major > 1 ? `, color: Type.String({ default: 'none' })` : ''} });
    const Created = Type.Object({ entry: Entry, version: Type.String() });
    const record = (kind) => async (ctx, { id }) =>
      void (await ctx.db.run(sql\`INSERT INTO probe_runs (entry, kind, version) VALUES (\${id}, \${kind}, \${version})\`));

    async function create(ctx, { text${major > 2 ? ', color' : ''} }) {
      return ctx.tx(async (tx) => {
        const entry = await tx.db.row(sql\`
          INSERT INTO probe_entries (id, text${major > 2 ? ', color' : ''})
          VALUES (\${tx.newId()}, \${text}${major > 2 ? `, \${color}` : ''})
          RETURNING id, text${major > 1 ? ', color' : ''}\`);
        await tx.emit('probe.created', { entry, version });
        await tx.jobs.add('probe.work', { id: entry.id });
        return { entry, version };
      });
    }

    export const module = defineModule({
      actions: {
        'probe.create': action({
          summary: 'Create an entry', http: 'POST /probe/entries', needs: 'probe.use',
          input: Type.Object({ text: Type.String()${major > 2 ? ', color: Type.String()' : ''} }),
          output: Created, run: create,
        }),
        'probe.version': action({
          summary: 'Get the version', http: 'GET /probe/version', needs: 'probe.use', graphql: 'probeVersion',
          output: Type.Object({ version: Type.String(), module: Type.String()${major > 1 ? ', colors: Type.Integer()' : ''} }),
          run: async (ctx) => ({
            version, module: 'probe'${major > 1 ? `, colors: (await ctx.db.row(sql\`SELECT count(DISTINCT color)::int AS n FROM probe_entries\`)).n` : ''}
          }),
        }),
        ${
          major > 2
            ? `'probe.count': action({
          summary: 'Count entries', http: 'GET /probe/count', needs: 'probe.use', output: Type.Object({ count: Type.Integer() }),
          run: async (ctx) => ctx.db.row(sql\`SELECT count(*)::int AS count FROM probe_entries\`),
        }),`
            : ''
        }
      },
      events: {
        'probe.created': defineEvent({
          summary: 'An entry was created', payload: Created, subject: ({ entry }) => entry.id, graphql: 'probeCreated',
          needs: 'probe.use',
        }),
      },
      console: {
        version: { place: 'page', title: 'Probe ${version}', shows: 'probe.version' },
        wall: { place: 'page', title: 'Wall', component: 'wall', needs: 'probe.use' },
      },
      jobs: { 'probe.work': job({ data: Type.Object({ id: Type.String() }), run: record('job') }) },
      listeners: [
        afterCommit('probe.created', 'record', async (ctx, { entry }) => {
          await record('event')(ctx, entry);
          await ctx.broadcast('probe', 'probe.created', { id: entry.id, version });
        }),
      ],
    });
  `;
}

async function writePackage(modulesPath: string, version: string): Promise<string> {
  const folder = join(modulesPath, 'probe', version);
  await mkdir(join(folder, 'migrations'), { recursive: true });
  const manifest = {
    name: 'Probe',
    alias: 'probe',
    version,
    description: 'Shows which version did what.',
    compatibility: { platform: '*' },
    auto_install: true,
    permissions: [{ name: 'probe.use', description: 'Use the probe' }],
    data: { probe_entries: {}, probe_runs: {} },
  };
  await writeFile(join(folder, 'module.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'module.js'), moduleCode(version));
  await mkdir(join(folder, 'console'));
  await writeFile(join(folder, 'console/wall.js'), `export default () => 'The wall of ${version}';`);
  const count = version === '1.0.0' ? 1 : 2;
  for (const [index, text] of migrations.slice(0, count).entries()) {
    await writeFile(join(folder, `migrations/000${index + 1}_probe.sql`), text);
  }
  return folder;
}

/** Writes the packages and a lock file for each ring. Returns the lock files. */
export async function writeRingPackages(folder: string): Promise<Record<RingName, string>> {
  const lock: LockFile = JSON.parse(await readFile(defaultLock, 'utf8'));
  const files: [string, string][] = [];
  for (const [ring, version] of Object.entries(ringVersions)) {
    const integrity = await folderIntegrity(await writePackage(join(folder, 'modules'), version));
    const file = join(folder, `${ring}.lock.json`);
    await writeLockFile(file, { ...lock, ring, modules: { ...lock.modules, probe: { version, integrity } } });
    files.push([ring, file]);
  }
  return Object.fromEntries(files) as Record<RingName, string>;
}
