import type { Notification } from '@chowk/client';
import * as Popover from '@radix-ui/react-popover';
import { Link } from '@tanstack/react-router';
import { Bell } from 'lucide-react';
import { useState } from 'react';
import { badgeCount } from '../format/numbers.ts';
import { useInbox, useMarkAllRead } from '../notifications/inbox.ts';
import { useLiveNotifications } from '../notifications/live-notifications.ts';
import { NotificationIcon } from '../notifications/notification-icon.tsx';
import { NotificationLink } from '../notifications/notification-link.tsx';
import { Repeats } from '../notifications/repeats.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loading } from '../ui/loading.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';

const footer =
  'flex h-11 items-center rounded-control px-3 text-sm font-medium text-secondary hover:bg-sunken hover:text-text';

export function NotificationBell({ userId }: { readonly userId: number }) {
  const { data, error, isFetched } = useInbox();
  const markAll = useMarkAllRead();
  const [isOpen, setOpen] = useState(false);
  useLiveNotifications(userId, isFetched);
  const unread = data?.unread ?? 0;
  const close = () => setOpen(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <IconButton label={unread === 0 ? 'Notifications' : `Notifications, ${badgeCount(unread)} unread`}>
          <Icon icon={Bell} size={18} />
          {unread > 0 && (
            <span className="numeric absolute top-0.5 left-1/2 grid h-4 min-w-4 place-items-center rounded-full bg-error px-1 text-[10px] leading-none font-semibold text-on-accent ring-2 ring-canvas">
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
          data-popover
          aria-label="Notifications"
          className="rise z-20 grid max-h-[min(34rem,80vh)] w-[min(25rem,calc(100vw-1rem))] grid-rows-[auto_minmax(0,1fr)_auto] rounded-panel bg-raised text-text shadow-raised outline-none"
        >
          <div className="flex h-12 items-center justify-between border-b border-line pr-2 pl-4">
            <h2 className="font-semibold">Notifications</h2>
            {unread > 0 && (
              <Button variant="quiet" className="text-sm" onClick={() => markAll.mutate(new Date().toISOString())}>
                Mark all read
              </Button>
            )}
          </div>
          {!data ? (
            <div className="p-4">
              <Loading error={error} className="h-24" />
            </div>
          ) : data.latest.length > 0 ? (
            <ul className="min-h-0 overflow-y-auto p-1">
              {data.latest.map((one) => (
                <LatestItem key={one.id} notification={one} onOpen={close} />
              ))}
            </ul>
          ) : (
            <EmptyState icon={Bell} title="No notifications yet">
              New orders, messages and changes that concern you appear here.
            </EmptyState>
          )}
          <div className="flex justify-between border-t border-line p-1">
            <Link to="/notifications" onClick={close} className={footer}>
              All notifications
            </Link>
            <Link to="/notifications/preferences" onClick={close} className={footer}>
              Preferences
            </Link>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface LatestItemProps {
  readonly notification: Notification;
  readonly onOpen: () => void;
}

function LatestItem({ notification, onOpen }: LatestItemProps) {
  const { title, body, created_at, read_at } = notification;
  const isUnread = read_at === null;
  return (
    <li>
      <NotificationLink
        notification={notification}
        onOpen={onOpen}
        className="grid w-full grid-cols-[auto_1fr_auto] gap-x-3 rounded-control px-3 py-2 text-left hover:bg-sunken"
      >
        <NotificationIcon notification={notification} />
        <span className="grid min-w-0 content-start pt-1.5">
          <span className={`break-words ${isUnread ? 'font-medium' : 'text-secondary'}`}>
            {isUnread && <span className="sr-only">Unread: </span>}
            {title}
            <Repeats notification={notification} />
          </span>
          {body && <span className="line-clamp-2 text-sm break-words text-secondary">{body}</span>}
        </span>
        <span className="flex items-center gap-2 self-start pt-2 text-xs">
          <RelativeTime time={created_at} />
          <span className={`size-2 rounded-full ${isUnread ? 'bg-accent' : ''}`} aria-hidden />
        </span>
      </NotificationLink>
    </li>
  );
}
