import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { installProgram } from '../../testing/installed-program.ts';
import { archive, publicReleaseKey, release } from '../../testing/release-files.ts';
import { platformAnswers, serve } from '../../testing/release-server.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../../testing/killed-upgrade.ts');
const parallel = 3;

const content = archive('1.1.0');
const answers = platformAnswers([[release('1.1.0', content), content]]);

/** Upgrades in a process that kills itself at a point. Returns the version afterwards; `undefined` if it got past all points. */
async function killAt(point: number, apiUrl: string): Promise<string | undefined> {
  const installed = await installProgram({ apiUrl });
  const { path, environment } = installed;
  const child = run(process.execPath, [script, String(point), path, environment.configFolder, publicReleaseKey]);
  const { signal } = await child.then(
    () => ({ signal: undefined }),
    (error) => error as { signal?: string },
  );
  const version = await installed.version();
  expect(version).toMatch(/^chowk 1\.[01]\.0$/);
  expect((await stat(path)).mode & 0o777).toBe(0o755);
  // Whatever was left behind, the next upgrade works and cleans up.
  expect(await installed.upgrade({ force: true })).toMatchObject({ code: 0 });
  expect(await installed.version()).toBe('chowk 1.1.0');
  expect(await installed.files()).toEqual(['chowk', 'chowk.previous']);
  return signal === 'SIGKILL' ? version : undefined;
}

test('an upgrade that is killed at any point leaves a whole program, the old or the new one', async () => {
  const server = await serve(answers);
  const versions: string[] = [];
  for (let point = 1; ; point += parallel) {
    const points = Array.from({ length: parallel }, (_, index) => point + index);
    const results = await Promise.all(points.map((one) => killAt(one, server.url)));
    versions.push(...results.filter((version) => version !== undefined));
    if (results.includes(undefined)) break;
  }
  expect(versions.length).toBeGreaterThanOrEqual(20);
  // Once replaced, it stays replaced.
  expect(versions).toEqual([...versions].sort());
  expect(new Set(versions)).toEqual(new Set(['chowk 1.0.0', 'chowk 1.1.0']));
});

test('a rollback that fails leaves both versions', async () => {
  const server = await serve(answers);
  const installed = await installProgram({ apiUrl: server.url });
  await installed.upgrade();
  await chmod(`${installed.path}.previous`, 0o644);
  expect(await installed.upgrade({ rollback: true })).toMatchObject({ code: 6 });
  expect(await installed.version()).toBe('chowk 1.1.0');
  expect(await installed.files()).toEqual(['chowk', 'chowk.previous']);
});
