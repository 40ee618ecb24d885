import { randomBytes } from 'node:crypto';
import { lchown, link, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createAtomically } from './create-atomically.ts';
import { logFile, pathForProgram, runProgram } from './program.ts';
import type { ServerDirectory } from './server-directory.ts';

export const superuser = 'chowk';

export interface CreateOptions {
  readonly onProgress: (line: string) => void;
  /** Whether the new cluster must survive a power failure. */
  readonly durable: boolean;
}

/** Creates the password and the data directory if they are missing, and returns the password. */
export async function ensureCluster(directory: ServerDirectory, options: CreateOptions): Promise<string> {
  const password = await ensurePassword(directory);
  await createAtomically(join(directory.path, 'data'), 'PG_VERSION', (staged) =>
    runInitdb(directory, basename(staged), options),
  );
  return password;
}

/** Links a complete draft: of several processes that do this at once, one succeeds and none sees a partial file. */
async function ensurePassword(directory: ServerDirectory): Promise<string> {
  const file = join(directory.path, 'password');
  const existing = await readFile(file, 'utf8').catch(ignore('ENOENT'));
  if (existing !== undefined) return existing.trim();
  const draft = `${file}.new-${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    if (directory.account) await lchown(draft, directory.account.uid, directory.account.gid);
    await link(draft, file).catch(ignore('EEXIST'));
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

async function runInitdb(
  directory: ServerDirectory,
  folder: string,
  { onProgress, durable }: CreateOptions,
): Promise<void> {
  onProgress('Creating the PostgreSQL cluster (first start)…');
  const program = await runProgram(directory, 'initdb', [
    '-D',
    pathForProgram(directory, folder),
    `--username=${superuser}`,
    `--pwfile=${pathForProgram(directory, 'password')}`,
    '--auth=scram-sha-256',
    // Iterations protect weak passwords. This one has 256 random bits, and one iteration makes connecting cheap.
    '-c',
    'scram_iterations=1',
    '--encoding=UTF8',
    // The same sort order on every operating system and after every upgrade of its libraries.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(durable ? [] : ['--no-sync']),
  ]);
  if (await program.exitedCleanly) return;
  throw new Error(
    `The PostgreSQL cluster in ${directory.path} could not be created: ${await program.failureReason()} (see ${logFile(directory)})`,
  );
}

function ignore(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
