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

/** The machine that the platform runs on. Each method performs the operation that it tests; a failure throws. */
export interface Machine {
  readonly nodeVersion: string;
  /** The output of a small TypeScript program. */
  runTypeScript(): Promise<string>;
  /** Whether a signature by a new RSA key is valid, and invalid for another text. */
  signs(): Promise<boolean>;
  /** Whether encrypted data is decrypted, and tampered data refused. */
  encrypts(): Promise<boolean>;
  /** Whether a password matches its hash, and another one does not. */
  hashes(): Promise<boolean>;
  /** A number and a month, formatted in Hindi. */
  inHindi(): string;
  /** The values as the database returns them. */
  echo(values: EchoedValues): Promise<EchoedValues | undefined>;
  databaseServer(): Promise<DatabaseServer | undefined>;
  /** The text after it was written to the database and read. */
  writeToDatabase(text: string): Promise<string | undefined>;
  pingCache(): Promise<{ up: boolean; name: string }>;
  /** The folders that must be writable. */
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

export function inspectMachine(ctx: SystemCtx): Machine {
  const { central, system } = ctx;
  return {
    nodeVersion: process.versions.node,
    runTypeScript,
    signs,
    encrypts,
    async hashes() {
      const hash = await ctx.bus.call('identity.hashPassword', { password: 'a password' });
      const [isRightAccepted, isWrongAccepted] = await Promise.all([
        ctx.bus.call('identity.verifyPassword', { password: 'a password', hash }),
        ctx.bus.call('identity.verifyPassword', { password: 'another one', hash }),
      ]);
      return isRightAccepted && !isWrongAccepted;
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
    pingCache: () => system.pingCache(),
    folders: { storage: system.storagePath, cache: join(system.storagePath, 'cache') },
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
    // Without settings of this process, such as a debugger's port.
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

/** Permission bits are not reliable on read-only, full and network file systems, so it writes a file. */
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
    if ((await readFile(file, 'utf8')) !== 'probe') throw new Error('the file differs from what was written');
  } finally {
    await rm(file, { force: true });
  }
}
