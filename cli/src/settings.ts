import type { CommandInput } from './command.ts';
import { readConfigFile } from './config/config-file.ts';
import type { Environment } from './environment.ts';
import { ExitError, exitCodes } from './exit.ts';

/** What a command works with: its options, else the variables of the environment, else `config.json`. */
export interface Settings {
  readonly apiUrl: string;
  readonly tenant: string | undefined;
  /** A personal access token, instead of the session of `chowk login`. */
  readonly token: string | undefined;
}

/** Where `npm start` serves the platform. */
const defaultApiUrl = 'http://localhost:8080';

export async function readSettings(environment: Environment, options: CommandInput['options'] = {}): Promise<Settings> {
  const { CHOWK_API_URL, CHOWK_TENANT, CHOWK_TOKEN } = environment.variables;
  const file = await readConfigFile(environment);
  const given = text(options['api-url']) ?? text(CHOWK_API_URL) ?? text(file.api_url);
  const apiUrl = given === undefined ? defaultApiUrl : normalizeApiUrl(given);
  const tenant = text(options.tenant) ?? text(CHOWK_TENANT) ?? text(file.tenants?.[apiUrl]);
  return { apiUrl, tenant, token: text(CHOWK_TOKEN) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Without a slash at the end; `https` if there is no scheme, `http` for this computer. */
export function normalizeApiUrl(given: string): string {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\]|[\w-]+\.localhost)(:|\/|$)/.test(given);
  const address = /^\w+:\/\//.test(given) ? given : `${isLocal ? 'http' : 'https'}://${given}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new ExitError(
      exitCodes.usage,
      `'${given}' is not the address of a platform, such as https://chowk.example.com.`,
    );
  return url.href.replace(/\/+$/, '');
}
