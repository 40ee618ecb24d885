import { type LoadedModule, loadModules } from '../src/loader/load-modules.ts';
import { testConfig } from './test-config.ts';

/** Modules of the repository, for a platform that otherwise runs test modules only. */
export async function repositoryModules(...aliases: readonly string[]): Promise<LoadedModule[]> {
  const modules = await loadModules(testConfig());
  return modules.filter(({ alias }) => aliases.includes(alias));
}
