import type { Notification } from '@chowk/client';
import { Bell } from 'lucide-react';
import { Popover } from 'radix-ui';
import { badgeCount } from '../format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { useInbox, useLiveNotifications, useMarkAllRead, useMarkRead } from './notifications.ts';

const dots = { info: 'bg-info', success: 'bg-success', warning: 'bg-warning', error: 'bg-error' };

export function NotificationBell({ userId }: { readonly userId: number }) {
  const { data } = useInbox();
  const markAll = useMarkAllRead();
  useLiveNotifications(userId, data !== undefined);
  const unread = data?.unread ?? 0;
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton label={unread === 0 ? 'Notifications' : `Notifications, ${badgeCount(unread)} unread`}>
          <Bell size={18} strokeWidth={1.5} aria-hidden />
          {unread > 0 && (
            <span className="numeric absolute top-0.5 right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-error px-1 text-[10px] leading-none font-semibold text-on-accent ring-2 ring-canvas">
              {badgeCount(unread)}
            </span>
          )}
        </IconButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Notifications"
          className="rise z-20 max-h-[min(32rem,80vh)] w-[min(24rem,calc(100vw-1rem))] overflow-y-auto rounded-panel bg-raised text-text shadow-raised outline-none"
        >
          <div className="sticky top-0 flex h-12 items-center justify-between border-b border-line bg-raised pr-2 pl-4">
            <h2 className="font-semibold">Notifications</h2>
            {unread > 0 && (
              <Button look="quiet" className="text-sm" onClick={() => markAll.mutate(new Date().toISOString())}>
                Mark all read
              </Button>
            )}
          </div>
          {data && data.latest.length > 0 ? (
            <ul className="p-1">
              {data.latest.map((one) => (
                <NotificationItem key={one.id} notification={one} />
              ))}
            </ul>
          ) : (
            <EmptyState icon={<Bell size={20} strokeWidth={1.5} aria-hidden />} title="All quiet">
              New orders, messages and changes that concern you appear here.
            </EmptyState>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function NotificationItem({ notification }: { readonly notification: Notification }) {
  const { id, title, body, severity, created_at, read_at } = notification;
  const markRead = useMarkRead();
  return (
    <li>
      <button
        type="button"
        onClick={() => read_at === null && markRead.mutate(id)}
        className="grid w-full grid-cols-[8px_1fr_auto] items-baseline gap-x-3 rounded-control px-3 py-2 text-left hover:bg-sunken"
      >
        <span className={`size-2 rounded-full ${read_at === null ? dots[severity] : ''}`}>
          {read_at === null && <span className="sr-only">Unread</span>}
        </span>
        <span className={`min-w-0 break-words ${read_at === null ? 'font-medium' : 'text-secondary'}`}>{title}</span>
        <span className="text-xs">
          <RelativeTime time={created_at} />
        </span>
        {body && <span className="col-start-2 col-end-4 text-sm break-words text-secondary">{body}</span>}
      </button>
    </li>
  );
}
