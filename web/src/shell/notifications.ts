import type { Notification } from '@chowk/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { keyOf, useApi } from '../api-query.ts';
import { api, useTenant } from '../session.ts';
import { toast } from '../ui/toast.tsx';

interface Inbox {
  readonly latest: readonly Notification[];
  readonly unread: number;
}

const latestCount = 10;

export function useInbox() {
  return useApi(['inbox'], async ({ notifications }): Promise<Inbox> => {
    const [{ notifications: latest }, { unread_count: unread }] = await Promise.all([
      notifications.list({ per_page: latestCount }),
      notifications.countUnread(),
    ]);
    return { latest, unread };
  });
}

/** Changes are shown at once, and undone if the platform refuses them. */
function useInboxChange<Input>(apply: (inbox: Inbox, input: Input) => Inbox, send: (input: Input) => Promise<unknown>) {
  const cache = useQueryClient();
  const key = keyOf(useTenant(), 'inbox');
  return useMutation({
    mutationFn: send,
    onMutate: async (input: Input) => {
      await cache.cancelQueries({ queryKey: key });
      const before = cache.getQueryData<Inbox>(key);
      if (before) cache.setQueryData(key, apply(before, input));
      return before;
    },
    onError: (_error, _input, before) => {
      cache.setQueryData(key, before);
      toast('The notification could not be changed.');
    },
  });
}

export function useMarkRead() {
  return useInboxChange(
    ({ latest, unread }, id: string) => ({
      latest: latest.map((one) => (one.id === id ? { ...one, read_at: one.read_at ?? new Date().toISOString() } : one)),
      unread: latest.some((one) => one.id === id && one.read_at === null) ? unread - 1 : unread,
    }),
    (id) => api().notifications.markRead({ id }),
  );
}

export function useMarkAllRead() {
  return useInboxChange(
    ({ latest }, readAt: string) => ({
      latest: latest.map((one) => ({ ...one, read_at: one.read_at ?? readAt })),
      unread: 0,
    }),
    () => api().notifications.markAllRead(),
  );
}

/** Prepends what arrives over the socket. */
export function useLiveNotifications(userId: number, isEnabled: boolean): void {
  const cache = useQueryClient();
  const tenant = useTenant();
  useEffect(() => {
    if (!isEnabled) return;
    const key = keyOf(tenant, 'inbox');
    const add = (one: Notification) => {
      cache.setQueryData<Inbox>(key, (inbox) => {
        if (!inbox) return inbox;
        const others = inbox.latest.filter(({ id }) => id !== one.id);
        const wasUnread = inbox.latest.some(({ id, read_at }) => id === one.id && read_at === null);
        return {
          latest: [one, ...others].slice(0, latestCount),
          unread: wasUnread ? inbox.unread : inbox.unread + 1,
        };
      });
      toast(one.title);
    };
    // What was sent while there was no connection.
    const catchUp = () => void cache.invalidateQueries({ queryKey: key });
    let stop: (() => void) | undefined;
    let isOver = false;
    // Loaded after the page: it is not needed to show it.
    void import('./realtime.ts')
      .then(({ listen }) => listen(api(), userId, { add, catchUp }))
      .then((disconnect) => {
        if (isOver) disconnect();
        else stop = disconnect;
      })
      .catch(() => {});
    return () => {
      isOver = true;
      stop?.();
    };
  }, [cache, tenant, userId, isEnabled]);
}
