import type { FileHandle } from 'node:fs/promises';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/**
 * A process that upgrades a program and kills itself before or after an operation on files, or in the middle of one:
 * `node killed-upgrade.ts <number of the point> <program> <configuration> <public key>`.
 */
const [point = '', path = '', configFolder = '', key = ''] = process.argv.slice(2);
let passed = 0;

function reach(): void {
  passed += 1;
  if (passed === Number(point)) process.kill(process.pid, 'SIGKILL');
}

type Method = (...args: unknown[]) => Promise<unknown>;

function watch(target: Record<string, Method>, name: string): void {
  const original = target[name] as Method;
  target[name] = async function (this: unknown, ...args) {
    reach();
    const result = await original.apply(this, args);
    reach();
    return result;
  };
}

const operations = promises as unknown as Record<string, Method>;
const { open } = promises;
operations.open = async (...args) => {
  const file = (await open(...(args as Parameters<typeof open>))) as FileHandle;
  const methods = file as unknown as Record<string, Method>;
  for (const name of ['chmod', 'sync', 'close']) watch(methods, name);
  const { writeFile } = file;
  methods.writeFile = async (content) => {
    const half = (content as Buffer).length / 2;
    await file.write((content as Buffer).subarray(0, half));
    reach();
    await writeFile.call(file, (content as Buffer).subarray(half));
  };
  reach();
  return file;
};
for (const name of ['link', 'rename', 'rm', 'readdir', 'writeFile']) watch(operations, name);
syncBuiltinESMExports();

const { upgradeCommand } = await import('../src/commands/upgrade.ts');
const { upgradeEnvironment } = await import('./upgrade-environment.ts');
await upgradeCommand.run(upgradeEnvironment({ path, configFolder, key }), { arguments: [], options: {} });
