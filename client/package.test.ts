import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startPlatform } from '../server/testing/platform.ts';
import { getPort } from '../server/testing/raw-http.ts';

/* The package as it is published: packed, installed in a project elsewhere, run with plain Node. */

const execute = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'chowk-client-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const tools = resolve(import.meta.dirname, '../node_modules/.bin');

const program = `import { ChowkError, createClient, type Order } from '@chowk/client';

const [url, tenant] = process.argv.slice(2);
const chowk = createClient({ url, tenant });
const { status } = await chowk.health.get();
const error = await chowk.orders.list().catch((error: unknown) => error);
export const totals = (orders: readonly Order[]): string[] => orders.map(({ total }) => total);
console.log(status, error instanceof ChowkError && error.code);
`;
const declaration = 'declare const process: { readonly argv: string[] };\n';

test('the packed client installs offline in another project, has types and runs', { timeout: 300_000 }, async () => {
  const built = join(folder, 'built');
  await execute(process.execPath, [join(import.meta.dirname, 'build.ts'), built]);
  await execute('npm', ['pack', '--pack-destination', folder], { cwd: built });
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  expect(archive).toBe('chowk-client-1.0.0.tgz');

  const project = join(folder, 'project');
  await execute('mkdir', [project]);
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', `../${archive}`], { cwd: project });
  expect(await readdir(join(project, 'node_modules/@chowk'))).toEqual(['client']);

  await writeFile(join(project, 'program.ts'), program);
  await writeFile(join(project, 'process.d.ts'), declaration);
  const compilerOptions = { target: 'esnext', module: 'nodenext', strict: true, lib: ['esnext', 'dom'], types: [] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await execute(join(tools, 'tsc'), ['-p', project]).catch(({ stdout }) => expect.fail(stdout));

  const platform = await startPlatform();
  await platform.app.listen({ host: '127.0.0.1', port: 0 });
  const { id } = await platform.tenant();
  const url = `http://127.0.0.1:${getPort(platform.app)}`;
  const { stdout } = await execute(process.execPath, ['program.js', url, id], { cwd: project });
  expect(stdout).toBe('ok auth.unauthenticated\n');
});
