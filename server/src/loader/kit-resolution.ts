import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const registered = new Set<string>();

/** Packages in the folder get `@chowk/kit` of the platform: they are outside of its `node_modules`. */
export function resolveKitFor(folder: string): void {
  // Node resolves symbolic links of the files that it imports.
  const prefix = pathToFileURL(realpathSync(folder) + sep).href;
  if (registered.has(prefix)) return;
  registered.add(prefix);
  registerHooks({
    resolve(specifier, context, next) {
      const isKit = /^@chowk\/kit(\/|$)/.test(specifier) && context.parentURL?.startsWith(prefix);
      return next(specifier, isKit ? { ...context, parentURL: import.meta.url } : context);
    },
  });
}
