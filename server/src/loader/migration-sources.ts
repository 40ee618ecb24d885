import { join, resolve } from 'node:path';
import { type MigrationSource, readMigrations } from '../db/migrations.ts';
import { isSystem, type LoadedModule } from './load-modules.ts';

const folder = resolve(import.meta.dirname, '../../migrations');

export interface MigrationSources {
  readonly central: readonly MigrationSource[];
  readonly tenant: readonly MigrationSource[];
}

/** The migrations of the kernel and of modules. System modules have their tables in the central database. */
export async function readMigrationSources(modules: readonly LoadedModule[]): Promise<MigrationSources> {
  const own = (database: string) => readMigrations('kernel', join(folder, database));
  const [system, others] = [modules.filter(isSystem), modules.filter((module) => !isSystem(module))];
  return {
    central: [await own('central'), ...system.map(({ migrations }) => migrations)],
    tenant: [await own('tenant'), ...others.map(({ migrations }) => migrations)],
  };
}
