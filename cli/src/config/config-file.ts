import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { writeAtomically } from './write-atomically.ts';

/** `config.json`. Each platform has a tenant of its own. */
export interface ConfigFile {
  readonly api_url?: string;
  readonly no_telemetry?: boolean;
  readonly allow_unsigned_releases?: boolean;
  readonly tenants?: Readonly<Record<string, string>>;
}

function configPath({ configFolder }: Environment): string {
  return join(configFolder, 'config.json');
}

export async function readConfigFile(environment: Environment): Promise<ConfigFile> {
  const path = configPath(environment);
  try {
    return JSON.parse(await readFile(path, 'utf8')) ?? {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (!(error instanceof SyntaxError)) throw error;
    throw new ExitError(exitCodes.general, `${path} is not valid JSON. Correct it, or delete it to start again.`);
  }
}

export async function writeConfigFile(environment: Environment, config: ConfigFile): Promise<void> {
  await mkdir(environment.configFolder, { recursive: true, mode: 0o700 });
  await writeAtomically(configPath(environment), `${JSON.stringify(config, null, 2)}\n`);
}
