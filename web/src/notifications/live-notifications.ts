import type { Notification } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { keys } from '../api/query-keys.ts';
import { tenantKey } from '../api/use-api.ts';
import { count } from '../format/numbers.ts';
import { api, useSessionState, useTenant } from '../session/session.ts';
import { toast } from '../ui/toast.tsx';
import { refetchNotifications, useMarkRead } from './inbox.ts';
import { addNotification, findMissed, findNewestId, type Inbox, mergeLatest } from './merge.ts';
import { listen } from './realtime.ts';
import { subjectPath } from './subject.ts';

/** As many as a page of the API can have. */
const missedAtOnce = 100;
const reconnectPauseMs = 5_000;

/** Shows notifications from the socket, and those missed without a connection. */
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
    const key = tenantKey(tenant, keys.notifications.inbox);
    const listsKey = tenantKey(tenant, keys.notifications.lists);
    const announced = new Set<string>();
    const announce = (one: Notification) => {
      // The platform may send the same twice; one that was repeated has another time.
      const key = `${one.id} ${one.created_at}`;
      if (announced.has(key)) return;
      announced.add(key);
      const path = subjectPath(one);
      // Of several as one, a second brings another: its toast changes.
      toast(one.title, path === undefined ? undefined : { label: 'Open', run: () => open(path, one) }, one.id);
    };
    const add = (one: Notification) => {
      announce(one);
      const inbox = cache.getQueryData<Inbox>(key);
      if (!inbox) return void refetchNotifications(cache, tenant);
      const next = addNotification(inbox, one);
      if (next === inbox) return;
      // A read that is under way may have missed it. One of several that is not known may be new: its count is not enough.
      const isUnknown = one.count > 1 && !inbox.latest.some(({ id }) => id === one.id);
      const isReading = isUnknown || cache.isFetching({ queryKey: key }) > 0;
      if (isReading) void cache.cancelQueries({ queryKey: key });
      cache.setQueryData<Inbox>(key, next);
      void (isReading ? refetchNotifications(cache, tenant) : cache.invalidateQueries({ queryKey: listsKey }));
    };
    let hasConnected = false;
    const catchUp = async () => {
      const isReconnected = hasConnected;
      hasConnected = true;
      const { latest = [] } = cache.getQueryData<Inbox>(key) ?? {};
      const after = findNewestId(latest);
      const page = await api().notifications.list({ ...(after && { after }), per_page: missedAtOnce });
      const missed = findMissed(latest, page.notifications);
      cache.setQueryData<Inbox>(key, (inbox) => inbox && { ...inbox, latest: mergeLatest(inbox.latest, missed) });
      // The count, and what was read or deleted elsewhere. The inbox has just been read before the first connection.
      if (isReconnected || missed.length > 0) void refetchNotifications(cache, tenant);
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
