import { type LoadedModule, loadModules } from '../src/loader/load-modules.ts';
import { testConfig } from './test-config.ts';

let loaded: Promise<LoadedModule[]> | undefined;

/** The modules of the repository, or those with these aliases. Loaded once: checking them takes a while. */
export async function repositoryModules(...aliases: readonly string[]): Promise<LoadedModule[]> {
  loaded ??= loadModules(testConfig());
  const modules = await loaded;
  return aliases.length === 0 ? modules : modules.filter(({ alias }) => aliases.includes(alias));
}
