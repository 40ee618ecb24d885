import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { CommandInput } from '../src/command.ts';
import { createUpgradeCommand } from '../src/commands/upgrade.ts';
import type { Environment } from '../src/environment.ts';
import { ExitError } from '../src/exit.ts';
import { type UpgradeLimits, upgradeLimits } from '../src/upgrade/limits.ts';
import { program } from './release-files.ts';
import { upgradeEnvironment } from './upgrade-environment.ts';

export interface InstalledProgram {
  readonly folder: string;
  readonly path: string;
  readonly environment: Environment;
  /** Runs `chowk upgrade`. */
  upgrade(options?: CommandInput['options'], changes?: Partial<Environment>): Promise<UpgradeResult>;
  /** What the installed file prints as its version. */
  version(): Promise<string>;
  /** The files in the folder of the program. */
  files(): Promise<string[]>;
}

export interface UpgradeResult {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

interface InstallOptions {
  readonly apiUrl?: string;
  readonly mirrorUrl?: string;
  readonly limits?: UpgradeLimits;
}

const run = promisify(execFile);

/** A program of version 1.0.0 in a folder of its own, which is configured for a platform. */
export async function installProgram({
  apiUrl,
  mirrorUrl = 'http://127.0.0.1:9',
  limits = upgradeLimits,
}: InstallOptions = {}): Promise<InstalledProgram> {
  const root = await mkdtemp(join(tmpdir(), 'chowk-upgrade-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const [folder, configFolder] = [await mkdtemp(join(root, 'bin-')), await mkdtemp(join(root, 'config-'))];
  const path = join(folder, 'chowk');
  await writeFile(path, program('1.0.0'));
  await chmod(path, 0o755);
  if (apiUrl !== undefined) await writeFile(join(configFolder, 'config.json'), JSON.stringify({ api_url: apiUrl }));
  const environment = upgradeEnvironment({ path, configFolder, mirrorUrl });
  const { stdout, stderr } = environment;
  return {
    folder,
    path,
    environment,
    async upgrade(options = {}, changes = {}) {
      for (const one of [stdout, stderr]) one.text = '';
      try {
        await createUpgradeCommand(limits).run({ ...environment, ...changes }, { arguments: [], options });
        return { code: 0, output: stdout.text, errors: stderr.text };
      } catch (error) {
        if (!(error instanceof ExitError)) throw error;
        return { code: error.code, output: stdout.text, errors: `${stderr.text}${error.message}` };
      }
    },
    version: async () => (await run(path, ['version'])).stdout.trim(),
    files: async () => (await readdir(folder)).sort(),
  };
}
