import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';

/** The texts that WhatsApp has approved. */
export function useTemplates(isNeeded: boolean) {
  return useApi(keys.conversations.templates, (client) => client.conversations.templates(), isNeeded);
}
