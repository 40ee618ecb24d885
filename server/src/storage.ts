import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from './config/config.ts';
import { decodeBase64 } from './config/variables.ts';

/** The folder for the files of the platform. It was writable when it was opened. */
export interface Storage {
  readonly path: string;
  readonly appKeyFile: string;
}

const keyBytes = 32;

export async function openStorage(path: string): Promise<Storage> {
  try {
    await createFolder(path);
    await probe(path);
  } catch (error) {
    throw new ConfigError(
      `STORAGE_PATH ${path} is not writable (${reason(error)}); choose another folder or make it writable`,
      { cause: error },
    );
  }
  return { path, appKeyFile: join(path, 'app.key') };
}

/** Like `mkdir` with `recursive`, which never returns for folders such as `/proc` that accept no new entries. */
async function createFolder(path: string, { createsParent = true } = {}): Promise<void> {
  try {
    await mkdir(path, { mode: 0o750 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || !createsParent) throw error;
    await createFolder(dirname(path));
    await createFolder(path, { createsParent: false });
  }
}

/** Permission bits are not reliable on read-only, full and network file systems, so this writes a file. */
async function probe(path: string): Promise<void> {
  const file = join(path, `.probe-${randomUUID()}`);
  try {
    await writeNew(file, 'probe');
  } finally {
    await rm(file, { force: true });
  }
}

/** `APP_KEY`, or the key file in the storage folder, which is created on first use. */
export async function readAppKey(storage: Storage, config: Pick<Config, 'appKey'>): Promise<Buffer> {
  const text = config.appKey ?? (await readKeyFile(storage.appKeyFile));
  const key = decodeBase64(text.trim(), keyBytes);
  if (key === undefined) {
    throw new ConfigError(
      `the key ${storage.appKeyFile} is not ${keyBytes} bytes in base64; restore it from a backup, ` +
        'or delete it to create a new one, which cannot decrypt existing data',
    );
  }
  return key;
}

async function readKeyFile(file: string): Promise<string> {
  try {
    if (!existsSync(file)) await createKeyFile(file);
    let text = await readFile(file, 'utf8');
    // Without hard links the file is empty until another process has written it.
    for (let tries = 0; text === '' && tries < 50; tries += 1) {
      await sleep(20);
      text = await readFile(file, 'utf8');
    }
    return text;
  } catch (error) {
    throw new ConfigError(`the key ${file} can be neither read nor created (${reason(error)})`, { cause: error });
  }
}

/** If several processes do this at once, one creates the key and the others use it. */
async function createKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  const key = `${randomBytes(keyBytes).toString('base64')}\n`;
  try {
    await writeNew(draft, key);
    await linkOrWrite(draft, file, key);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** A link is atomic, so that a crash leaves no partial key. */
async function linkOrWrite(draft: string, file: string, content: string): Promise<void> {
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
