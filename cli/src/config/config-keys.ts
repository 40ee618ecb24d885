import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { findNearest } from '../nearest.ts';
import { normalizeApiUrl } from '../settings.ts';
import { type ConfigFile, readConfigFile, writeConfigFile } from './config-file.ts';

/** The keys of `chowk config`, with what they mean. */
export const configKeys = {
  api_url: 'The address of the platform.',
  tenant: 'The tenant on this platform.',
  no_telemetry: 'true: never look for a newer version of this program.',
  allow_unsigned_releases: 'true: upgrade from a channel whose releases are not signed.',
} as const;
export type ConfigKey = keyof typeof configKeys;

export function toConfigKey(given: string): ConfigKey {
  const key = given.replaceAll('-', '_');
  if (Object.hasOwn(configKeys, key)) return key as ConfigKey;
  const nearest = findNearest(key, Object.keys(configKeys));
  const advice = nearest ? `Did you mean ${nearest}?` : `The keys are ${Object.keys(configKeys).join(', ')}.`;
  throw new ExitError(exitCodes.usage, `There is no key '${given}'. ${advice}`);
}

/** The value in the file; `undefined` if it is not set. */
export function getConfig(file: ConfigFile, apiUrl: string, key: ConfigKey): string | undefined {
  const value = key === 'tenant' ? file.tenants?.[apiUrl] : file[key];
  return value === undefined ? undefined : String(value);
}

/** Sets a value, or removes it if it is empty. */
export async function setConfig(environment: Environment, apiUrl: string, key: ConfigKey, text: string): Promise<void> {
  const file = await readConfigFile(environment);
  if (key === 'tenant') {
    const { [apiUrl]: _, ...others } = file.tenants ?? {};
    return writeConfigFile(environment, { ...file, tenants: text === '' ? others : { ...others, [apiUrl]: text } });
  }
  const { [key]: _, ...others } = file;
  await writeConfigFile(environment, text === '' ? others : { ...others, [key]: readValue(key, text) });
}

function readValue(key: Exclude<ConfigKey, 'tenant'>, text: string): string | boolean {
  if (key === 'api_url') return normalizeApiUrl(text);
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ExitError(exitCodes.usage, `${key} is true or false; got '${text}'.`);
}
