import type { NotificationRuleEvent } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';

/** What rules can react to; `undefined` until it is known. */
export function useRuleEvents(): readonly NotificationRuleEvent[] | undefined {
  return useApi(keys.notifications.ruleEvents, (client) => client.notifications.listRuleEvents()).data?.events;
}

/** An event in words: `An order was created`. */
export function useEventLabel(): (event: string) => string {
  const events = useRuleEvents();
  return (event) => events?.find(({ name }) => name === event)?.summary ?? event;
}
