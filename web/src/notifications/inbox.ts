import type { Notification } from '@chowk/client';
import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { messageOf } from '../api/error-message.ts';
import { keyOf, readAgain, useApi } from '../api/use-api.ts';
import { count } from '../format/numbers.ts';
import { api, useSessionState, useTenant } from '../session/session.ts';
import { toast } from '../ui/toast.tsx';
import { listen } from './realtime.ts';
import { subjectOf } from './subject.ts';

type Rows = readonly Notification[];

interface Inbox {
  readonly latest: Rows;
  readonly unread: number;
}

const latestCount = 10;
/** As many as a page of the API can have. */
const missedAtOnce = 100;

const reconnectPauseMs = 5_000;

const area = 'notifications';
const inboxKey = (tenant: string | undefined) => keyOf(tenant, area, 'inbox');
const listKey = (tenant: string | undefined) => keyOf(tenant, area, 'list');

export function useInbox() {
  return useApi([area, 'inbox'], async ({ notifications }): Promise<Inbox> => {
    const [{ notifications: latest }, { unread_count: unread }] = await Promise.all([
      notifications.list({ per_page: latestCount }),
      notifications.countUnread(),
    ]);
    return { latest, unread };
  });
}

/** A change that is shown at once, wherever the notifications are shown, and taken back if the platform refuses it. */
interface Change<Input> {
  readonly send: (input: Input) => Promise<unknown>;
  readonly apply: (rows: Rows, input: Input) => Rows;
  readonly revert: (rows: Rows, input: Input) => Rows;
  /** How the number of unread notifications changes. */
  readonly unread: (input: Input, before: number) => number;
  /** What failed, for the toast. */
  readonly failure: string;
}

function useChange<Input>({ send, apply, revert, unread, failure }: Change<Input>) {
  const cache = useQueryClient();
  const tenant = useTenant();
  /** In these lists, or in all. Returns those that it has changed. */
  const change = (rowsOf: (rows: Rows) => Rows, difference: number, lists?: readonly QueryKey[]) => {
    const changed: QueryKey[] = [];
    const inList = (key: QueryKey, rows: Rows) => {
      if (lists?.includes(key) === false) return rows;
      const next = rowsOf(rows);
      if (next.length !== rows.length || next.some((one, index) => one !== rows[index])) changed.push(key);
      return next;
    };
    for (const [key, inbox] of cache.getQueriesData<Inbox>({ queryKey: inboxKey(tenant) })) {
      if (!inbox) continue;
      const latest = inList(key, inbox.latest).slice(0, latestCount);
      cache.setQueryData<Inbox>(key, { latest, unread: Math.max(0, inbox.unread + difference) });
    }
    for (const [key, page] of cache.getQueriesData<{ rows: Rows; total: number }>({ queryKey: listKey(tenant) })) {
      if (!page) continue;
      const rows = inList(key, page.rows);
      cache.setQueryData(key, { rows, total: page.total + rows.length - page.rows.length });
    }
    return changed;
  };
  return useMutation({
    mutationKey: [area],
    mutationFn: send,
    onMutate: async (input: Input) => {
      await cache.cancelQueries({ queryKey: keyOf(tenant, area) });
      const difference = unread(input, cache.getQueryData<Inbox>(inboxKey(tenant))?.unread ?? 0);
      const lists = change((rows) => apply(rows, input), difference);
      return { difference, lists };
    },
    onError: (error, input, before) => {
      change((rows) => revert(rows, input), -(before?.difference ?? 0), before?.lists);
      toast(`${failure} ${messageOf(error)}`);
    },
    onSettled: async () => {
      // The last of several changes reads the result of all.
      if (cache.isMutating({ mutationKey: [area] }) === 1) await refresh(cache, tenant);
    },
  });
}

async function refresh(cache: QueryClient, tenant: string | undefined): Promise<void> {
  await Promise.all([inboxKey(tenant), listKey(tenant)].map((queryKey) => readAgain(cache, queryKey)));
}

export function useMarkRead() {
  return useChange<Notification>({
    send: ({ id }) => api().notifications.markRead({ id }),
    apply: (rows, { id }) => readAt(rows, new Date().toISOString(), (one) => one.id === id),
    revert: (rows, before) => rows.map((one) => (one.id === before.id ? before : one)),
    unread: ({ read_at }) => (read_at === null ? -1 : 0),
    failure: 'The notification could not be marked as read.',
  });
}

/** Its input is the time, by which those that were unread are found again. */
export function useMarkAllRead() {
  return useChange<string>({
    send: () => api().notifications.markAllRead(),
    apply: (rows, time) => readAt(rows, time, () => true),
    revert: (rows, time) => rows.map((one) => (one.read_at === time ? { ...one, read_at: null } : one)),
    unread: (_time, before) => -before,
    failure: 'The notifications could not be marked as read.',
  });
}

export function useDelete() {
  return useChange<Notification>({
    send: ({ id }) => api().notifications.delete({ id }),
    apply: (rows, { id }) => rows.filter((one) => one.id !== id),
    revert: (rows, before) => newestFirst([before, ...rows.filter(({ id }) => id !== before.id)]),
    unread: ({ read_at }) => (read_at === null ? -1 : 0),
    failure: 'The notification could not be deleted.',
  });
}

function readAt(rows: Rows, time: string, isMeant: (one: Notification) => boolean): Rows {
  return rows.map((one) => (one.read_at === null && isMeant(one) ? { ...one, read_at: time } : one));
}

function newestFirst(rows: Rows): Rows {
  return rows.toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
}

/** Shows what arrives over the socket, and what was missed while there was none. */
export function useLiveNotifications(userId: number, isEnabled: boolean): void {
  const cache = useQueryClient();
  const tenant = useTenant();
  const isSignedIn = useSessionState() === 'signed-in';
  const navigate = useNavigate();
  const { mutate: markRead } = useMarkRead();
  const open = useEffectEvent((path: string, one?: Notification) => {
    if (one) markRead(one);
    void navigate({ to: path });
  });
  useEffect(() => {
    if (!isEnabled || !isSignedIn) return;
    const key = inboxKey(tenant);
    const announced = new Set<string>();
    const announce = (one: Notification) => {
      // The platform may send the same twice; one that was repeated has another time.
      const key = `${one.id} ${one.created_at}`;
      if (announced.has(key)) return;
      announced.add(key);
      const path = subjectOf(one);
      toast(one.title, path === undefined ? undefined : { label: 'Open', run: () => open(path, one) });
    };
    const add = (one: Notification) => {
      announce(one);
      const inbox = cache.getQueryData<Inbox>(key);
      if (inbox && isKnown(inbox.latest, one)) return;
      if (!inbox) return void refresh(cache, tenant);
      // A read that is under way may have missed it.
      const isReading = cache.isFetching({ queryKey: key }) > 0;
      if (isReading) void cache.cancelQueries({ queryKey: key });
      // Only one that is unread is repeated.
      const wasUnread = one.count > 1 || inbox.latest.some(({ id, read_at }) => id === one.id && read_at === null);
      cache.setQueryData<Inbox>(key, {
        latest: withNew(inbox.latest, [one]),
        unread: wasUnread ? inbox.unread : inbox.unread + 1,
      });
      void (isReading ? refresh(cache, tenant) : cache.invalidateQueries({ queryKey: listKey(tenant) }));
    };
    const catchUp = async () => {
      const { latest = [] } = cache.getQueryData<Inbox>(key) ?? {};
      // Ids sort by time. The first row may have an older one: a repeated notification keeps its id.
      const after = latest
        .map(({ id }) => id)
        .sort()
        .at(-1);
      if (after === undefined) return refresh(cache, tenant);
      const page = await api().notifications.list({ after, per_page: missedAtOnce });
      const missed = page.notifications.filter((one) => !isKnown(latest, one));
      cache.setQueryData<Inbox>(key, (inbox) => inbox && { ...inbox, latest: withNew(inbox.latest, missed) });
      // The count, and what was read or deleted elsewhere.
      void refresh(cache, tenant);
      const [first] = missed;
      if (!first) return;
      const all = page.pagination.total - page.notifications.length + missed.length;
      if (all === 1) announce(first);
      else toast(`${count(all)} new notifications.`, { label: 'Show', run: () => open('/notifications') });
    };
    let stop: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const failed = () => {
      stop?.();
      clearTimeout(timer);
      if (!isStopped) timer = setTimeout(connect, reconnectPauseMs);
    };
    const connect = async () => {
      try {
        stop = await listen(api(), userId, { add, catchUp: () => void catchUp().catch(failed), failed });
        if (isStopped) stop();
      } catch {
        failed();
      }
    };
    void connect();
    return () => {
      isStopped = true;
      clearTimeout(timer);
      stop?.();
    };
  }, [cache, tenant, userId, isEnabled, isSignedIn]);
}

/** A refresh may have read it before. */
function isKnown(rows: Rows, { id, created_at }: Notification): boolean {
  return rows.some((one) => one.id === id && one.created_at === created_at);
}

function withNew(rows: Rows, added: Rows): Rows {
  const others = rows.filter(({ id }) => !added.some((one) => one.id === id));
  return newestFirst([...added, ...others]).slice(0, latestCount);
}
