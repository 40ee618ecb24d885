import { createClient, type Client as Socket } from 'graphql-ws';
import { useEffect, useRef } from 'react';
import { useRefresh } from './api-action.ts';
import { api, useTenant } from './session.ts';

let socket: { readonly tenant: string | undefined; readonly client: Socket } | undefined;

/** One socket for all subscriptions, opened by the first and closed after the last. */
function socketOf(tenant: string | undefined): Socket {
  if (!socket || socket.tenant !== tenant) socket = { tenant, client: createClient(api().subscriptionOptions()) };
  return socket.client;
}

/** Changes come in groups: a list is read once for all of them. */
const pauseMs = 150;

/**
 * Reads `areas` again when one of these subscriptions of the GraphQL schema reports a change, and after each connection, since
 * changes are missed without one: `useLive(['orderCreated'], 'orders')`.
 */
export function useLive(events: readonly string[], ...areas: readonly string[]): void {
  const tenant = useTenant();
  const refresh = useRefresh();
  const latest = useRef(() => {});
  useEffect(() => {
    latest.current = () => void refresh(...areas);
  });
  const names = events.join(' ');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, pauseMs);
    };
    const client = socketOf(tenant);
    const stops = [
      client.on('connected', changed),
      ...names.split(' ').map((name) => {
        const error = (_cause: unknown) => {};
        return client.subscribe(
          { query: `subscription { ${name} { __typename } }` },
          { next: changed, error, complete() {} },
        );
      }),
    ];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [tenant, names]);
}
