import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { type MigrationSource, readMigrations } from '../db/migrations.ts';
import type { LockFile } from './lock-file.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { findModuleFolder } from './module-folders.ts';

export interface LockedMigrations {
  readonly manifest: Manifest;
  readonly migrations: MigrationSource;
}

/** The manifests and migrations of a lock file's modules. Their code is not run. */
export async function readLockedMigrations(config: Config, lock: LockFile): Promise<LockedMigrations[]> {
  return Promise.all(
    Object.entries(lock.modules).map(async ([alias, locked]) => {
      const folder = await findModuleFolder(config, alias, locked);
      const sql = join(folder, 'migrations');
      return {
        manifest: await readManifest(join(folder, 'module.json')),
        migrations: existsSync(sql) ? await readMigrations(alias, sql) : { owner: alias, migrations: [] },
      };
    }),
  );
}
