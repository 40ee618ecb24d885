import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MigrationSource, readMigrations } from '../server/src/db/migrations.ts';
import { findModules } from '../server/src/loader/load-modules.ts';
import { root } from './run.ts';

/** The SHA-256 of each migration by its path. A migration in this file must not change any more. */
export type Checksums = Readonly<Record<string, string>>;

export const checksumsFile = 'server/migrations/checksums.json';

export interface MigrationFolder extends MigrationSource {
  /** Relative to the repository. */
  readonly folder: string;
}

/** The migrations of the kernel and of all modules. */
export async function findMigrations(): Promise<MigrationFolder[]> {
  const modules = (await findModules()).map(({ manifest }) => manifest.alias);
  const folders = [
    { owner: 'kernel', folder: 'server/migrations/central' },
    { owner: 'kernel', folder: 'server/migrations/tenant' },
    ...modules.map((owner) => ({ owner, folder: `modules/${owner}/migrations` })),
  ].filter(({ folder }) => existsSync(join(root, folder)));
  return Promise.all(
    folders.map(async ({ owner, folder }) => ({ folder, ...(await readMigrations(owner, join(root, folder))) })),
  );
}

export async function readChecksums(): Promise<Checksums> {
  return JSON.parse(await readFile(join(root, checksumsFile), 'utf8'));
}

/** Those of all releases. They are added with a release and never change, unlike the file above. */
export async function readReleasedChecksums(): Promise<Checksums> {
  const folder = join(root, 'docs/releases');
  const files = (await readdir(folder)).filter((name) => /^migrations-.*\.json$/.test(name)).sort();
  const releases = await Promise.all(
    files.map(async (name): Promise<Checksums> => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  );
  return Object.assign({}, ...releases.reverse());
}

/** What the file should contain: the checksums it has, and those of new migrations. */
export function addChecksums(recorded: Checksums, sources: readonly MigrationFolder[]): Checksums {
  const current = sources.flatMap(({ folder, migrations }) =>
    migrations.map(({ name, checksum }) => [`${folder}/${name}`, checksum] as const),
  );
  const all = { ...Object.fromEntries(current), ...recorded };
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The recorded migrations that were changed or removed. */
export function changedMigrations(recorded: Checksums, sources: readonly MigrationFolder[]): string[] {
  const current = addChecksums({}, sources);
  return Object.entries(recorded).flatMap(([path, checksum]) => {
    if (current[path] === checksum) return [];
    return [
      current[path] === undefined
        ? `${path} is missing: databases that have it could not be upgraded`
        : `${path} was changed: databases that have it would refuse it; restore the file and add a new migration`,
    ];
  });
}
