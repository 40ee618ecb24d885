import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Static, Type } from '@chowk/kit/kernel';
import { compileBody } from '../schemas/validation.ts';
import { aliasPattern, versionPattern } from './manifest.ts';

const LockedModule = Type.Object({ version: Type.String({ pattern: versionPattern }), integrity: Type.String() });
export type LockedModule = Static<typeof LockedModule>;

const LockFile = Type.Object({
  lock_version: Type.Literal(1),
  ring: Type.String(),
  generated_at: Type.String(),
  modules: Type.Record(Type.String({ pattern: aliasPattern }), LockedModule),
});

/** The modules of a ring, each with its version and a digest of its files. */
export type LockFile = Static<typeof LockFile>;

const validate = compileBody(LockFile);

export async function readLockFile(file: string): Promise<LockFile> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the lock file ${file} cannot be read (${error.code}); 'chowkd module:lock' writes one`);
  });
  let lock: unknown;
  try {
    lock = JSON.parse(text);
  } catch (error) {
    throw new Error(`the lock file ${file} is not valid JSON: ${(error as Error).message}`);
  }
  const [problem] = Object.entries(validate(lock) ?? {});
  if (problem) throw new Error(`the lock file ${file}: ${problem[0]}: ${problem[1][0]?.message}`);
  return lock as LockFile;
}

/** Replaces the file atomically: a concurrent reader gets the old or the new content. */
export async function writeLockFile(file: string, lock: LockFile): Promise<void> {
  const draft = `${file}.${process.pid}.new`;
  await mkdir(dirname(file), { recursive: true });
  // On the disk before its name is, so that a crash of the machine leaves one of the two.
  await writeFile(draft, `${JSON.stringify(lock, null, 2)}\n`, { flush: true });
  await rename(draft, file);
}

/** Writes the next lock file of a ring, and keeps the one before beside it. */
export async function replaceLockFile(file: string, from: LockFile, to: LockFile): Promise<void> {
  await writeLockFile(`${file}.previous`, from);
  await writeLockFile(file, to);
}

/** A digest of the names and contents of a module's files, without tests and Markdown. */
export async function folderIntegrity(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !/(\.test\.ts|\.md)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort();
  const digest = createHash('sha256');
  for (const path of files) {
    const content = await readFile(join(folder, path));
    digest.update(`${path}\0${content.length}\0`).update(content);
  }
  return `sha256-${digest.digest('base64')}`;
}
