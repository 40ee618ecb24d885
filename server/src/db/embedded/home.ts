import { chmod, lchown, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, canReach, serverAccount } from './account.ts';
import { type Binaries, binariesFor, installedBinaries } from './binaries.ts';

/** Where a server lives, what it is run from and as whom. */
export interface Home {
  /** `<storage>/postgres`, without symbolic links: by it processes recognise the server they share. */
  readonly folder: string;
  readonly binaries: Binaries;
  /** Whom the server runs as; `undefined` is ourselves. */
  readonly account: Account | undefined;
  /** The account cannot walk the path to the folder, so its programs are handed the folder already opened. */
  readonly byHandle: boolean;
}

export async function prepareHome(storagePath: string): Promise<Home> {
  await mkdir(storagePath, { recursive: true });
  await mkdir(join(storagePath, 'postgres'), { recursive: true, mode: 0o700 });
  const folder = await realpath(join(storagePath, 'postgres'));
  const account = await serverAccount(folder);
  if (!account) await mustBeOurs(folder);
  await chmod(folder, 0o700);
  await mkdir(join(folder, 'socket'), { recursive: true, mode: 0o700 });
  if (account) await give(account, folder);
  const byHandle = account !== undefined && !(await canReach(account, folder));
  if (byHandle && process.platform !== 'linux') {
    throw new Error(
      `The account ${account.name}, which runs PostgreSQL as root may not, cannot enter ${folder}: ` +
        'choose another STORAGE_PATH, start chowkd as an ordinary user, or set DATABASE_URL.',
    );
  }
  return { folder, account, byHandle, binaries: await binariesFor(account, await installedBinaries()) };
}

async function mustBeOurs(folder: string): Promise<void> {
  const { uid } = await lstat(folder);
  if (uid === process.getuid?.()) return;
  throw new Error(
    `The database folder ${folder} belongs to uid ${uid}: start chowkd as that account or as root, ` +
      'choose another STORAGE_PATH, or set DATABASE_URL.',
  );
}

/**
 * Gives the account what root made or restored. A folder changes hands after its content, so that one which has
 * changed hands need not be looked through; only at the top anything may have been put.
 */
async function give(account: Account, path: string, top = true): Promise<void> {
  try {
    const entry = await lstat(path);
    if (entry.uid === account.uid && !top) return;
    if (entry.isDirectory()) {
      for (const name of await readdir(path)) await give(account, join(path, name), false);
    }
    // Not chown: in a folder that is not root's, a link could lead root anywhere.
    if (entry.uid !== account.uid) await lchown(path, account.uid, account.gid);
  } catch (error) {
    // Another process that starts now renames and removes what it staged.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
