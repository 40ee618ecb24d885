import { randomBytes } from 'node:crypto';
import { lchown, link, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Home } from './home.ts';
import { logFile, runProgram, seenFromInside } from './process.ts';
import { makeWhole } from './staging.ts';

export const superuser = 'chowk';

export interface Creation {
  readonly say: (line: string) => void;
  /** Whether the new cluster must survive a power failure. */
  readonly durable: boolean;
}

/** Makes the password and the cluster if they are not there, and answers with the password. */
export async function ensureCluster(home: Home, creation: Creation): Promise<string> {
  const password = await ensurePassword(home);
  await makeWhole(join(home.folder, 'data'), 'PG_VERSION', (staged) => initialise(home, basename(staged), creation));
  return password;
}

/** A link appears with its whole content or not at all; of several processes that make it at once, one does. */
async function ensurePassword(home: Home): Promise<string> {
  const file = join(home.folder, 'password');
  const known = await readFile(file, 'utf8').catch(unless('ENOENT'));
  if (known !== undefined) return known.trim();
  const draft = `${file}.new-${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    if (home.account) await lchown(draft, home.account.uid, home.account.gid);
    await link(draft, file).catch(unless('EEXIST'));
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

async function initialise(home: Home, folder: string, { say, durable }: Creation): Promise<void> {
  say('Creating the PostgreSQL cluster (first start)…');
  const run = await runProgram(home, 'initdb', [
    '-D',
    seenFromInside(home, folder),
    `--username=${superuser}`,
    `--pwfile=${seenFromInside(home, 'password')}`,
    '--auth=scram-sha-256',
    // Iterations slow down guessing; nobody guesses 256 random bits, and one iteration makes connecting cheap.
    '-c',
    'scram_iterations=1',
    '--encoding=UTF8',
    // The same order and letters on every platform and after every upgrade of the system's libraries.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(durable ? [] : ['--no-sync']),
  ]);
  if (await run.ended) return;
  throw new Error(
    `The PostgreSQL cluster in ${home.folder} could not be created: ${await run.complaint()} (see ${logFile(home)})`,
  );
}

function unless(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
