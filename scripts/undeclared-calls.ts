import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findModules } from '../server/src/loader/load-modules.ts';
import { repository } from '../server/src/loader/lock-path.ts';
import { consumedOperation } from '../server/src/loader/manifest.ts';

const comment = /^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm;

/** Calls of `bus.call('orders.get', …)` in a module whose `module.json` does not list the operation in `api.consumes`. */
export async function undeclaredCalls(modulesFolder?: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { folder, manifest } of await findModules(modulesFolder)) {
    const declared = (manifest.api?.consumes ?? []).map((entry) => consumedOperation(entry).operation);
    for (const file of await sources(folder)) {
      const code = (await readFile(file, 'utf8')).replaceAll(comment, '');
      for (const [, operation = ''] of code.matchAll(/\bbus\s*\.call\(\s*'([^']+)'/g)) {
        if (declared.includes(operation)) continue;
        problems.push(
          `${relative(repository, file)} calls ${operation}; add it to api.consumes in the module's module.json`,
        );
      }
    }
  }
  return problems;
}

async function sources(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}
