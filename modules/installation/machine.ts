import { execFile } from 'node:child_process';
import {
  createCipheriv,
  createDecipheriv,
  generateKeyPair,
  randomBytes,
  randomUUID,
  sign as signWith,
  verify,
} from 'node:crypto';
import { mkdir, open, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Db, type SystemCtx, sql } from '@chowk/kit';

/** What the platform stands on, put to the test: each of these does the thing it is about, or throws. */
export interface Machine {
  readonly nodeVersion: string;
  /** What a small TypeScript program prints. */
  runTypeScript(): Promise<string>;
  /** Whether a signature by a new RSA key is verified, and one of another text is not. */
  signs(): Promise<boolean>;
  /** Whether what is encrypted is read again, and what was tampered with is not. */
  encrypts(): Promise<boolean>;
  /** Whether a password fits its hash, and another one does not. */
  hashes(): Promise<boolean>;
  /** A number and a month, as written in Hindi. */
  inHindi(): string;
  /** The values that came back from the database, as they went there. */
  echo(values: EchoedValues): Promise<EchoedValues | undefined>;
  databaseServer(): Promise<DatabaseServer | undefined>;
  /** What was written to the database and read again. */
  writeToDatabase(text: string): Promise<string | undefined>;
  pingCache(): Promise<{ up: boolean; name: string }>;
  /** The two folders that must be writable, and whether they are. */
  readonly folders: { readonly storage: string; readonly cache: string };
  writeInto(folder: string): Promise<void>;
  freeBytes(folder: string): Promise<number>;
}

export interface EchoedValues {
  readonly text: string;
  readonly number: number;
  readonly at: string;
}

export interface DatabaseServer {
  readonly version: number;
  readonly extensions: readonly string[];
  readonly may_create: boolean;
}

export function machineOf({ central, platform }: SystemCtx): Machine {
  return {
    nodeVersion: process.versions.node,
    runTypeScript,
    signs,
    encrypts,
    async hashes() {
      const hash = await platform.passwords.hash('a password');
      const [fits, fitsToo] = await Promise.all([
        platform.passwords.verify('a password', hash),
        platform.passwords.verify('another one', hash),
      ]);
      return fits && !fitsToo;
    },
    inHindi: () => `${formatNumber('hi-IN-u-nu-deva', 1_234_567)} ${formatMonth('hi', new Date(0))}`,
    echo: ({ text, number, at }) =>
      central.row<EchoedValues>(
        sql`SELECT ${text}::text AS text, ${number}::bigint AS number, ${at}::timestamptz AS at`,
      ),
    databaseServer: () =>
      central.row<DatabaseServer>(sql`
        SELECT current_setting('server_version_num')::int / 10000 AS version,
          ARRAY(SELECT name::text FROM pg_available_extensions) AS extensions,
          (SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user) AS may_create`),
    writeToDatabase: (text) => writeToDatabase(central, text),
    pingCache: () => platform.pingCache(),
    folders: { storage: platform.storagePath, cache: join(platform.storagePath, 'cache') },
    writeInto,
    async freeBytes(folder) {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
  };
}

async function runTypeScript(): Promise<string> {
  const program = 'const answer: number = 42; process.stdout.write(String(answer satisfies number));';
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    timeout: 20_000,
    // Not with what was meant for this process, as a debugger's port.
    env: {},
  });
  return stdout;
}

async function signs(): Promise<boolean> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const signature = signWith('RSA-SHA256', Buffer.from('a text'), privateKey);
  return (
    verify('RSA-SHA256', Buffer.from('a text'), publicKey, signature) &&
    !verify('RSA-SHA256', Buffer.from('another'), publicKey, signature)
  );
}

async function encrypts(): Promise<boolean> {
  const [key, nonce] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update('a text'), cipher.final()]);
  const read = (data: Buffer) => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(cipher.getAuthTag());
    return Buffer.concat([decipher.update(data), decipher.final()]).toString();
  };
  if (read(sealed) !== 'a text') return false;
  try {
    read(Buffer.concat([sealed.subarray(1), Buffer.alloc(1)]));
    return false;
  } catch {
    return true;
  }
}

function formatNumber(locale: string, number: number): string {
  return new Intl.NumberFormat(locale).format(number);
}

function formatMonth(locale: string, date: Date): string {
  return new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(date);
}

function writeToDatabase(central: Db, text: string): Promise<string | undefined> {
  const key = `installation.probe ${randomUUID()}`;
  return central.tx(async (tx) => {
    await tx.run(sql`INSERT INTO platform_settings (key, value) VALUES (${key}, ${JSON.stringify(text)})`);
    const row = await tx.row<{ value: string }>(sql`SELECT value FROM platform_settings WHERE key = ${key}`);
    await tx.run(sql`DELETE FROM platform_settings WHERE key = ${key}`);
    return row?.value;
  });
}

/** Permission bits lie on read-only, full and network file systems; only a write tells. */
async function writeInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const file = join(folder, `.probe-${randomUUID()}`);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile('probe');
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await readFile(file, 'utf8')) !== 'probe') throw new Error('what was written reads differently');
  } finally {
    await rm(file, { force: true });
  }
}
