import type { Command } from '../command.ts';
import { openClient } from '../open-client.ts';
import { printJson, printList, wantsJson } from '../output/print.ts';

export const tenantsCommand: Command = {
  words: ['tenants'],
  summary: 'List your tenants',
  async run(environment, { options }) {
    const { client, settings } = await openClient(environment, options);
    const { tenants } = await client.auth.me();
    const list = tenants.map((tenant) => ({ ...tenant, is_current: tenant.id === settings.tenant }));
    if (wantsJson(options)) return printJson(environment, options, list);
    printList(environment, options, list, { key: undefined });
  },
};
