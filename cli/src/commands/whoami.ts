import type { Command } from '../command.ts';
import { openClient } from '../open-client.ts';
import { printJson, printRecord, wantsJson } from '../output/print.ts';

export const whoamiCommand: Command = {
  words: ['whoami'],
  summary: 'Show who is signed in, and where',
  async run(environment, { options }) {
    const { client, settings } = await openClient(environment, options);
    const me = await client.auth.me();
    if (wantsJson(options)) return printJson(environment, options, { api_url: settings.apiUrl, ...me });
    const { name, email, tenant_id, role } = me;
    printRecord(environment, options, {
      platform: settings.apiUrl,
      name,
      email,
      tenant: tenant_id ?? '',
      role: role ?? '',
    });
  },
};
