import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { folderIntegrity, type LockedModule, type LockFile, readLockFile, writeLockFile } from '../loader/lock-file.ts';
import { readManifest } from '../loader/manifest.ts';
import { modulesFolder, packageFolder } from '../loader/module-folders.ts';
import { type RingOperation, recordOperation } from '../tenancy/rings.ts';
import { migrateRing, runHook, verifyLock } from './child-steps.ts';
import { installPackage } from './install-package.ts';
import { replaceLock } from './replace-lock.ts';
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
  const { ring, operator, reason } = modules;
  const versions = { from_value: modules.lock.modules[alias]?.version, to_value: to?.version };
  const row: RingOperation = { operator, operation, ring, alias, ...versions, reason };
  const current: { step: Step } = { step: 'package' };
  try {
    await attempt(modules, change, { current, row });
  } catch (error) {
    const details = { step: current.step, error: (error as Error).message };
    await recordOperation(modules.central.db, { ...row, status: 'failed', details });
    throw error;
  }
}

async function attempt(
  modules: RingModules,
  { alias, to, hook }: ModuleChange,
  { current, row }: { readonly current: { step: Step }; readonly row: RingOperation },
): Promise<void> {
  const { central, config, file, lock } = modules;
  const obtained = to && (await obtain(modules, alias, to));
  const [from, locked] = [lock.modules[alias], obtained?.locked];
  // Only downloaded, to a machine that did not have it.
  if (locked && isDeepStrictEqual(locked, from)) {
    await recordOperation(central.db, { ...row, details: { from, to: locked } });
    return;
  }
  await withStaging(config.modulesPath, async (folder) => {
    const draft = join(folder, 'draft.lock.json');
    await writeLockFile(draft, withModule(lock, alias, locked));
    current.step = 'verify';
    await verifyLock(modules, draft, alias, to?.version).catch(async (error) => {
      if (obtained?.isNew) await rm(packageFolder(config, alias, obtained.locked.version), { recursive: true });
      throw error;
    });
    if (hook && to) {
      current.step = 'migrate';
      await migrateRing(modules, draft, alias);
    }
    if (hook) {
      current.step = 'hook';
      // The code of a module that is removed is in the lock file as it is.
      await runHook(modules, to ? draft : file, { alias, hook, from: from?.version, to: to?.version });
    }
    current.step = 'lock';
    const latest = await readLockFile(file);
    if (!isDeepStrictEqual(latest.modules[alias], from)) {
      throw new Error(`${file} has another version of ${alias} since this command began; run the command again`);
    }
    const next = withModule(latest, alias, locked);
    if (!isDeepStrictEqual(latest.modules, lock.modules)) {
      // Another module was promoted meanwhile.
      await writeLockFile(draft, next);
      await verifyLock(modules, draft, alias, to?.version);
    }
    await replaceLock(central.db, { file, from: latest, to: next }, { ...row, details: { from, to: locked } });
  });
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
  const sorted = Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  return { ...lock, generated_at: new Date().toISOString(), modules: sorted };
}
