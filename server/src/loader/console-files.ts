import { createHash } from 'node:crypto';
import type { LoadedModule } from './load-modules.ts';

/** Scripts of modules for the console. The tenant in the path leads to its ring; the name is a digest of the content. */
const path = /^\/console-files\/([a-z0-9-]{1,63})\/([0-9a-f]{32})\.js(?:\?|$)/;

export function parseConsolePath(url: string): { readonly tenant: string; readonly digest: string } | undefined {
  const [, tenant, digest] = path.exec(url) ?? [];
  return tenant !== undefined && digest !== undefined ? { tenant, digest } : undefined;
}

/** Null if the module has no such script. */
export function consolePath(tenantId: string, { consoleScripts }: LoadedModule, component: string): string | null {
  const script = consoleScripts?.get(component);
  return script ? `/console-files/${tenantId}/${scriptDigest(script.code)}.js` : null;
}

/** The scripts of all modules, by their digest. */
export function collectConsoleFiles(modules: readonly LoadedModule[]): Map<string, Buffer> {
  const scripts = modules.flatMap(({ consoleScripts }) => [...(consoleScripts?.values() ?? [])]);
  return new Map(scripts.map(({ code }) => [scriptDigest(code), Buffer.from(code)]));
}

function scriptDigest(code: string): string {
  return createHash('sha256').update(code).digest('hex').slice(0, 32);
}
