import { type Client, createClient, memoryTokens } from '@chowk/client';
import type { CommandInput } from './command.ts';
import { fileTokens } from './config/token-file.ts';
import type { Environment } from './environment.ts';
import { readSettings, type Settings } from './settings.ts';

/** The client of the platform that the options, the environment or the configuration name. */
export async function openClient(
  environment: Environment,
  options: CommandInput['options'],
): Promise<{ readonly client: Client; readonly settings: Settings }> {
  const settings = await readSettings(environment, options);
  return { client: connect(environment, settings), settings };
}

export function connect(environment: Environment, { apiUrl, tenant, token }: Settings): Client {
  const { build, platform, fetch } = environment;
  return createClient({
    url: apiUrl,
    tenant,
    tokens: token === undefined ? fileTokens(environment, apiUrl) : memoryTokens({ accessToken: token }),
    // A command that is repeated after a lost connection changes nothing twice.
    idempotencyKey: true,
    headers: { 'user-agent': `chowk/${build.version} (${platform.os})` },
    fetch,
  });
}
