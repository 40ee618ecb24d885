import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderIntegrity, type LockedModule, type LockFile } from '../src/loader/lock-file.ts';

/** An installed package. Its code cannot import the kit when tests load it in their own process. */
export interface TestPackage {
  readonly alias: string;
  readonly version: string;
  /** More of `module.json`. */
  readonly manifest?: object;
  /** JavaScript: statements before the module. */
  readonly imports?: string;
  /** JavaScript: the fields of the module. */
  readonly code?: string;
  /** SQL by file name. */
  readonly migrations?: Readonly<Record<string, string>>;
}

/** Writes a package into a folder such as `MODULES_PATH`. Returns its entry of a lock file. */
export async function writePackage(
  modulesPath: string,
  { alias, version, manifest = {}, imports = '', code = '', migrations = {} }: TestPackage,
): Promise<LockedModule> {
  const folder = join(modulesPath, alias, version);
  await mkdir(join(folder, 'migrations'), { recursive: true });
  const described = { name: alias, alias, version, description: 'For a test.', compatibility: { platform: '*' } };
  await writeFile(join(folder, 'module.json'), JSON.stringify({ ...described, auto_install: true, ...manifest }));
  await writeFile(join(folder, 'module.js'), `${imports}\nexport const module = { ${code} };\n`);
  for (const [name, text] of Object.entries(migrations)) await writeFile(join(folder, 'migrations', name), text);
  return { version, integrity: await folderIntegrity(folder) };
}

export async function writeTestLock(
  file: string,
  ring: string,
  modules: Readonly<Record<string, LockedModule>>,
): Promise<LockFile> {
  const lock: LockFile = { lock_version: 1, ring, generated_at: '2026-01-01T00:00:00.000Z', modules };
  await writeFile(file, JSON.stringify(lock));
  return lock;
}

/** A folder for packages and lock files of a whole test file. */
export function packagesFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'chowk-packages-'));
}
