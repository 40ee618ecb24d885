import { chmod, lchown, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, canReach, serverAccount } from './account.ts';
import { type Binaries, binariesFor, installedBinaries } from './binaries.ts';

/** The directory of the embedded server, with the binaries and the account that run it. */
export interface ServerDirectory {
  /** `<storage>/postgres`, without symbolic links. Processes identify the shared server by this path. */
  readonly path: string;
  readonly binaries: Binaries;
  /** The account the server runs as; `undefined` is the account of this process. */
  readonly account: Account | undefined;
  /** The account cannot traverse the path, so programs inherit a handle of the open directory. */
  readonly isPassedAsHandle: boolean;
}

export async function prepareServerDirectory(storagePath: string): Promise<ServerDirectory> {
  await mkdir(storagePath, { recursive: true });
  await mkdir(join(storagePath, 'postgres'), { recursive: true, mode: 0o700 });
  const path = await realpath(join(storagePath, 'postgres'));
  const account = await serverAccount(path);
  if (!account) await requireOwnership(path);
  await chmod(path, 0o700);
  await mkdir(join(path, 'socket'), { recursive: true, mode: 0o700 });
  if (account) await changeOwner(account, path);
  const isPassedAsHandle = account !== undefined && !(await canReach(account, path));
  if (isPassedAsHandle && process.platform !== 'linux') {
    throw new Error(
      `PostgreSQL cannot run as root, and the account ${account.name} cannot enter ${path}: ` +
        'choose another STORAGE_PATH, start chowkd as an ordinary user, or set DATABASE_URL.',
    );
  }
  return { path, account, isPassedAsHandle, binaries: await binariesFor(account, await installedBinaries()) };
}

async function requireOwnership(path: string): Promise<void> {
  const { uid } = await lstat(path);
  if (uid === process.getuid?.()) return;
  throw new Error(
    `The database directory ${path} belongs to uid ${uid}: start chowkd as that account or as root, ` +
      'choose another STORAGE_PATH, or set DATABASE_URL.',
  );
}

/**
 * Gives the account everything that root created or restored. A directory changes its owner after its content, so one
 * that the account owns already is skipped. Only the top level is always read.
 */
async function changeOwner(account: Account, path: string, isTop = true): Promise<void> {
  try {
    const entry = await lstat(path);
    if (entry.uid === account.uid && !isTop) return;
    if (entry.isDirectory()) {
      for (const name of await readdir(path)) await changeOwner(account, join(path, name), false);
    }
    // Not chown: a symbolic link in a directory of another account could point anywhere.
    if (entry.uid !== account.uid) await lchown(path, account.uid, account.gid);
  } catch (error) {
    // Another process that starts now renames and removes its staged directories.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
