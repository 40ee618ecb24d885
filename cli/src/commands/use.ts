import type { Command } from '../command.ts';
import { setConfig } from '../config/config-keys.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { openClient } from '../open-client.ts';

export const useCommand: Command = {
  words: ['use'],
  summary: 'Choose the tenant of the following commands',
  arguments: [{ name: 'tenant', help: "The id of one of your tenants; 'chowk tenants' lists them." }],
  examples: ['chowk use acme'],
  async run(environment, { arguments: [tenant = ''], options }) {
    // The tenant in use may be one that the user has left.
    const { client, settings } = await openClient(environment, { ...options, tenant: '' });
    const { tenants } = await client.auth.me();
    if (!tenants.some(({ id }) => id === tenant)) {
      const list = tenants.map(({ id }) => id).join(', ') || 'none';
      throw new ExitError(exitCodes.refused, `You are not a member of '${tenant}'. Your tenants: ${list}.`);
    }
    await setConfig(environment, settings.apiUrl, 'tenant', tenant);
    if (!options.quiet) environment.stderr.write(`Commands now use ${tenant}.\n`);
  },
};
