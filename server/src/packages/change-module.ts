import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  folderIntegrity,
  type LockedModule,
  type LockFile,
  replaceLockFile,
  writeLockFile,
} from '../loader/lock-file.ts';
import { readManifest } from '../loader/manifest.ts';
import { modulesFolder, packageFolder } from '../loader/module-folders.ts';
import { recordOperation } from '../tenancy/rings.ts';
import { migrateRing, runHook, verifyLock } from './child-steps.ts';
import { installPackage } from './install-package.ts';
import type { RingModules } from './ring-modules.ts';
import { withStaging } from './staging.ts';

export interface ModuleChange {
  readonly operation: 'module.install' | 'module.upgrade' | 'module.rollback' | 'module.remove';
  readonly alias: string;
  /** The version to lock, with its digest if that is known; `undefined` takes the module out of the lock file. */
  readonly to: { readonly version: string; readonly integrity?: string | undefined } | undefined;
  /** Databases are migrated before it runs. */
  readonly hook?: 'install' | 'upgrade' | 'uninstall';
}

/** `migrate` and `hook` may have changed data when they fail. */
export type Step = 'package' | 'verify' | 'migrate' | 'hook' | 'lock';

/**
 * Changes the version of a module in the lock file of a ring. The lock file is written last: if a step fails, the version before
 * stays and goes on serving. Done or failed, the change is recorded.
 */
export async function changeModule(modules: RingModules, change: ModuleChange): Promise<void> {
  const { alias, operation, to } = change;
  const from = modules.lock.modules[alias];
  const record = (status: 'done' | 'failed', details: object) =>
    recordOperation(modules.central.db, {
      operator: modules.operator,
      operation,
      ring: modules.ring,
      alias,
      from_value: from?.version,
      to_value: to?.version,
      status,
      details,
    });
  const current: { step: Step } = { step: 'package' };
  try {
    const next = await attempt(modules, change, current);
    const locks = next ? { file: modules.file, previous_lock: modules.lock, lock: next } : {};
    await record('done', { from, to: (next ?? modules.lock).modules[alias], ...locks });
  } catch (error) {
    await record('failed', { step: current.step, error: (error as Error).message });
    throw error;
  }
}

/** Returns the new lock file; `undefined` if it stays as it is. */
async function attempt(
  modules: RingModules,
  { alias, to, hook }: ModuleChange,
  current: { step: Step },
): Promise<LockFile | undefined> {
  const { config, lock } = modules;
  const obtained = to && (await obtain(modules, alias, to));
  // Only downloaded, to a machine that did not have it.
  if (obtained && isDeepStrictEqual(obtained.locked, lock.modules[alias])) return undefined;
  const next = { ...withModule(lock, alias, obtained?.locked), generated_at: new Date().toISOString() };
  await withStaging(config.modulesPath, async (folder) => {
    const draft = join(folder, 'draft.lock.json');
    await writeLockFile(draft, next);
    current.step = 'verify';
    await verifyLock(modules, draft, alias, to?.version).catch(async (error) => {
      if (obtained?.isNew) await rm(packageFolder(config, alias, obtained.locked.version), { recursive: true });
      throw error;
    });
    if (!hook) return;
    const from = lock.modules[alias]?.version;
    if (to) {
      current.step = 'migrate';
      await migrateRing(modules, draft, alias);
    }
    current.step = 'hook';
    // The code of a module that is removed is in the lock file as it is.
    await runHook(modules, to ? draft : modules.file, { alias, hook, from, to: to?.version });
  });
  current.step = 'lock';
  await replaceLockFile(modules.file, lock, next);
  return next;
}

/** A module that comes with the platform, or a package, which is downloaded if it is not installed. */
async function obtain(
  { config, progress }: RingModules,
  alias: string,
  { version, integrity }: NonNullable<ModuleChange['to']>,
): Promise<{ locked: LockedModule; isNew: boolean }> {
  const own = join(modulesFolder, alias);
  const isOwn =
    existsSync(join(own, 'module.json')) && (await readManifest(join(own, 'module.json'))).version === version;
  const ownIntegrity = isOwn ? await folderIntegrity(own) : undefined;
  if (ownIntegrity !== undefined && (integrity ?? ownIntegrity) === ownIntegrity) {
    return { locked: { version, integrity: ownIntegrity }, isNew: false };
  }
  const isNew = !existsSync(packageFolder(config, alias, version));
  const found = await installPackage(config, { alias, version }, { integrity, warn: progress });
  return { locked: { version, integrity: found }, isNew };
}

function withModule(lock: LockFile, alias: string, locked: LockedModule | undefined): LockFile {
  const { [alias]: _, ...others } = lock.modules;
  const entries = Object.entries(locked ? { ...others, [alias]: locked } : others);
  return { ...lock, modules: Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1))) };
}
