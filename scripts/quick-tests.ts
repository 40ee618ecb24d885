import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const importing = /^(?:import|export)\s(?!type\b)[^;]*?\bfrom '([^']+)'/gm;
/** What starts a browser or another process. */
const starters = new Set(['playwright-core', 'node:child_process']);

/**
 * Whether a test starts a browser or another process, itself or with the test harness: in quick runs it does not run. What the
 * code under test imports does not count.
 */
export function startsProcesses(file: string, seen = new Set<string>()): boolean {
  seen.add(file);
  const imported = [...readFileSync(file, 'utf8').matchAll(importing)].map(([, name = '']) => name);
  if (imported.some((name) => starters.has(name) || name.endsWith('/testing/chromium.ts'))) return true;
  const harness = imported.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name));
  return harness.some((path) => /\/(testing|e2e)\//.test(path) && !seen.has(path) && startsProcesses(path, seen));
}
