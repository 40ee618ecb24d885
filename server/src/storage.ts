import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from './config.ts';
import { decodeBase64 } from './config-variables.ts';

/** The folder under which the platform keeps its files. It existed and was writable when it was opened. */
export interface Storage {
  readonly path: string;
  readonly appKeyFile: string;
}

const keyBytes = 32;

export async function openStorage(path: string): Promise<Storage> {
  try {
    await makeFolder(path);
    await probe(path);
  } catch (error) {
    throw new ConfigError(
      `STORAGE_PATH ${path} is not writable (${reason(error)}); choose another folder or make it writable`,
      { cause: error },
    );
  }
  return { path, appKeyFile: join(path, 'app.key') };
}

/** As `mkdir` with `recursive`, which never returns where a folder exists but takes no new one, as in `/proc`. */
async function makeFolder(path: string, { mayMakeParent = true } = {}): Promise<void> {
  try {
    await mkdir(path, { mode: 0o750 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || !mayMakeParent) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path, { mayMakeParent: false });
  }
}

/** Permission bits lie on read-only, full and network file systems; only a write tells. */
async function probe(path: string): Promise<void> {
  const file = join(path, `.probe-${randomUUID()}`);
  try {
    await writeNew(file, 'probe');
  } finally {
    await rm(file, { force: true });
  }
}

/** `APP_KEY`, else the key in the storage folder, made on first use. */
export async function readAppKey(storage: Storage, config: Pick<Config, 'appKey'>): Promise<Buffer> {
  const text = config.appKey ?? (await readKeyFile(storage.appKeyFile));
  const key = decodeBase64(text.trim(), keyBytes);
  if (key === undefined) {
    throw new ConfigError(
      `the key ${storage.appKeyFile} is not ${keyBytes} bytes in base64; restore it from a backup, ` +
        'or remove it for a new one, with which nothing encrypted before can be read',
    );
  }
  return key;
}

async function readKeyFile(file: string): Promise<string> {
  try {
    if (!existsSync(file)) await makeKeyFile(file);
    let text = await readFile(file, 'utf8');
    // Empty for a moment while another process makes it on a file system without hard links.
    for (let tries = 0; text === '' && tries < 50; tries += 1) {
      await sleep(20);
      text = await readFile(file, 'utf8');
    }
    return text;
  } catch (error) {
    throw new ConfigError(`the key ${file} can be neither read nor made (${reason(error)})`, { cause: error });
  }
}

/** Of several processes that do this at once, one makes the key; to the others that is no failure. */
async function makeKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  const key = `${randomBytes(keyBytes).toString('base64')}\n`;
  try {
    await writeNew(draft, key);
    await placeNew(draft, file, key);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** A link appears whole or not at all, so that a crash leaves no half key behind. */
async function placeNew(draft: string, file: string, content: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) throw error;
    await writeNew(file, content);
  }
}

async function writeNew(file: string, content: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
