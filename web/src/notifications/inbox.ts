import type { Notification } from '@chowk/client';
import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/query-keys.ts';
import { refetch, tenantKey, useApi } from '../api/use-api.ts';
import { errorMessage } from '../format/error-message.ts';
import { api, useTenant } from '../session/session.ts';
import { toast } from '../ui/toast.tsx';
import { type Inbox, latestCount, markReadAt, newestFirst, type Rows } from './merge.ts';

const { all, inbox: inboxKey, lists: listsKey } = keys.notifications;

export function useInbox() {
  return useApi(inboxKey, async ({ notifications }): Promise<Inbox> => {
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
  const change = (changeRows: (rows: Rows) => Rows, difference: number, lists?: readonly QueryKey[]) => {
    const changed: QueryKey[] = [];
    const inList = (key: QueryKey, rows: Rows) => {
      if (lists?.includes(key) === false) return rows;
      const next = changeRows(rows);
      if (next.length !== rows.length || next.some((one, index) => one !== rows[index])) changed.push(key);
      return next;
    };
    for (const [key, inbox] of cache.getQueriesData<Inbox>({ queryKey: tenantKey(tenant, inboxKey) })) {
      if (!inbox) continue;
      const latest = inList(key, inbox.latest).slice(0, latestCount);
      cache.setQueryData<Inbox>(key, { latest, unread: Math.max(0, inbox.unread + difference) });
    }
    for (const [key, page] of cache.getQueriesData<{ rows: Rows; total: number }>({
      queryKey: tenantKey(tenant, listsKey),
    })) {
      if (!page) continue;
      const rows = inList(key, page.rows);
      cache.setQueryData(key, { rows, total: page.total + rows.length - page.rows.length });
    }
    return changed;
  };
  return useMutation({
    mutationKey: all,
    mutationFn: send,
    onMutate: async (input: Input) => {
      await cache.cancelQueries({ queryKey: tenantKey(tenant, all) });
      const difference = unread(input, cache.getQueryData<Inbox>(tenantKey(tenant, inboxKey))?.unread ?? 0);
      const lists = change((rows) => apply(rows, input), difference);
      return { difference, lists };
    },
    onError: (error, input, before) => {
      change((rows) => revert(rows, input), -(before?.difference ?? 0), before?.lists);
      toast(`${failure} ${errorMessage(error)}`);
    },
    onSettled: async () => {
      // The last of several changes reads the result of all.
      if (cache.isMutating({ mutationKey: all }) === 1) await refetchNotifications(cache, tenant);
    },
  });
}

export async function refetchNotifications(cache: QueryClient, tenant: string | undefined): Promise<void> {
  await Promise.all([inboxKey, listsKey].map((key) => refetch(cache, tenantKey(tenant, key))));
}

export function useMarkRead() {
  return useChange<Notification>({
    send: ({ id }) => api().notifications.markRead({ id }),
    apply: (rows, { id }) => markReadAt(rows, new Date().toISOString(), (one) => one.id === id),
    revert: (rows, before) => rows.map((one) => (one.id === before.id ? before : one)),
    unread: ({ read_at }) => (read_at === null ? -1 : 0),
    failure: 'The notification could not be marked as read.',
  });
}

/** The input is the time, which identifies the affected rows for a rollback. */
export function useMarkAllRead() {
  return useChange<string>({
    send: () => api().notifications.markAllRead(),
    apply: (rows, time) => markReadAt(rows, time, () => true),
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
