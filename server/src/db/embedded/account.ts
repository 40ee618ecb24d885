import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The unprivileged account the server runs as when this process is root. PostgreSQL refuses to run as root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const run = promisify(execFile);

/** `undefined` if this process is not root: the server then runs as the same account. */
export async function serverAccount(folder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // The owner of an existing cluster keeps it, so that chowkd can run as that account and as root.
  const account =
    (await findOwner(join(folder, 'data'))) ??
    (await findOwner(folder)) ??
    (await accountNamed('postgres')) ??
    (await accountNamed('nobody'));
  if (!account) {
    throw new Error(
      'PostgreSQL refuses to run as root, and there is no account named postgres or nobody: ' +
        'create one, start chowkd as an ordinary user, or set DATABASE_URL.',
    );
  }
  return account;
}

/** Runs `test` as the account, because access lists and security modules are not visible in permission bits. */
export async function canReach(account: Account, path: string): Promise<boolean> {
  const { uid, gid } = account;
  return run('test', ['-x', path], { uid, gid, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function findOwner(path: string): Promise<Account | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat || stat.uid === 0) return undefined;
  return { name: `with uid ${stat.uid}`, uid: stat.uid, gid: stat.gid };
}

async function accountNamed(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
