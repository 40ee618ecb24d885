import { type Query, useQueryClient } from '@tanstack/react-query';
import { createClient, type Client as Socket } from 'graphql-ws';
import { useEffect, useEffectEvent } from 'react';
import type { Key } from '../api/query-keys.ts';
import { useRefetch } from '../api/use-action.ts';
import { tenantKey } from '../api/use-api.ts';
import { api, useSessionState, useTenant } from '../session/session.ts';

let socket: { readonly tenant: string | undefined; readonly client: Socket } | undefined;

/** One socket for all subscriptions, opened by the first and closed after the last. */
function openSocket(tenant: string | undefined): Socket {
  if (!socket || socket.tenant !== tenant) socket = { tenant, client: createClient(api().subscriptionOptions()) };
  return socket.client;
}

/** A socket that waits to reconnect would delay the next session. */
function closeSocket(): void {
  // It fails if the socket could not be opened.
  Promise.resolve(socket?.client.dispose()).catch(() => {});
  socket = undefined;
}

/** Changes come in groups; they are refetched together. */
const pauseMs = 150;
const resubscribePauseMs = 5_000;

/** Younger data is not refetched when the socket connects for the first time. */
const freshMs = 1_000;

/**
 * Refetches these keys when one of these subscriptions of the GraphQL schema reports a change, and after a lost connection,
 * without which changes are missed: `useLive(['orderCreated'], keys.orders.all)`.
 */
export function useLive(events: readonly string[], ...keys: readonly Key[]): void {
  const tenant = useTenant();
  const isSignedIn = useSessionState() === 'signed-in';
  const cache = useQueryClient();
  const refetch = useRefetch();
  const refetchAll = useEffectEvent(() => refetch(...keys));
  const refetchOld = useEffectEvent(async () => {
    const now = Date.now();
    const isOld = ({ state }: Query) => state.fetchStatus === 'idle' && state.dataUpdatedAt < now - freshMs;
    const old = keys.map((key) => ({ queryKey: tenantKey(tenant, key), predicate: isOld }));
    await Promise.all(old.map((filter) => cache.invalidateQueries(filter)));
  });
  const names = events.join(' ');
  useEffect(() => {
    if (!isSignedIn) return closeSocket();
    const client = openSocket(tenant);
    const { changed, stop } = createRefetcher(() => refetchAll());
    const stops = [
      stop,
      client.on('connected', (_socket, _payload, isRetry) => (isRetry ? changed() : void refetchOld())),
      ...names.split(' ').map((name) => subscribe(client, name, changed)),
    ];
    return () => {
      for (const one of stops) one();
    };
  }, [tenant, names, isSignedIn]);
}

/** Refetches once at a time: further changes do not interrupt it. */
function createRefetcher(read: () => Promise<void>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let isOutdated = false;
  let isStopped = false;
  const changed = () => {
    if (isStopped) return;
    if (isReading) isOutdated = true;
    else timer ??= setTimeout(run, pauseMs);
  };
  const run = async () => {
    timer = undefined;
    isReading = true;
    isOutdated = false;
    await read().catch(() => {});
    isReading = false;
    if (isOutdated) changed();
  };
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { changed, stop };
}

/** Resubscribes after a lost connection. A refusal by the schema is final. */
function subscribe(client: Socket, name: string, next: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe = () => {};
  const start = () => {
    unsubscribe = client.subscribe(
      { query: `subscription { ${name} { __typename } }` },
      {
        next,
        error(problem: unknown) {
          if (!Array.isArray(problem)) timer = setTimeout(start, resubscribePauseMs);
        },
        complete() {},
      },
    );
  };
  start();
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
