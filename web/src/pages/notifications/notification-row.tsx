import type { Notification } from '@chowk/client';
import { Check, EllipsisVertical, Trash2 } from 'lucide-react';
import { useDelete, useMarkRead } from '../../notifications/inbox.ts';
import { NotificationIcon } from '../../notifications/notification-icon.tsx';
import { NotificationLink } from '../../notifications/notification-link.tsx';
import { Repeats } from '../../notifications/repeats.tsx';
import { useIsNarrow } from '../../screen/narrow.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

export function NotificationRow({ notification }: { readonly notification: Notification }) {
  const { title, body, created_at, read_at, action_label } = notification;
  const isUnread = read_at === null;
  return (
    <div className="group relative flex items-start rounded-control hover:bg-sunken focus-within:bg-sunken">
      <NotificationLink
        notification={notification}
        onOpen={() => {}}
        className="grid min-w-0 flex-1 grid-cols-[auto_1fr_auto] items-start gap-x-3 rounded-control py-2.5 pl-1 text-left md:pr-2"
      >
        <NotificationIcon notification={notification} />
        <span className="grid min-w-0 gap-0.5 pt-1.5">
          <span className={`break-words ${isUnread ? 'font-semibold' : 'text-secondary'}`}>
            {isUnread && <span className="sr-only">Unread: </span>}
            {title}
            <Repeats notification={notification} />
          </span>
          {body && (
            <span className="line-clamp-3 max-w-3xl text-sm break-words whitespace-pre-line text-secondary">
              {body}
            </span>
          )}
          {action_label && <span className="text-sm font-medium text-accent">{action_label}</span>}
        </span>
        <span className="flex items-center gap-2 pt-1.5 text-sm md:group-focus-within:invisible md:group-hover:invisible">
          <RelativeTime time={created_at} />
          <span className={`size-2 rounded-full ${isUnread ? 'bg-accent' : ''}`} aria-hidden />
        </span>
      </NotificationLink>
      <RowActions notification={notification} />
    </div>
  );
}

/** On a phone in a menu; elsewhere in place of the time, with the pointer or the focus. */
function RowActions({ notification }: { readonly notification: Notification }) {
  const isNarrow = useIsNarrow();
  const markRead = useMarkRead();
  const remove = useDelete();
  const isUnread = notification.read_at === null;
  if (isNarrow) {
    const trigger = (
      <IconButton label={`Actions for ${notification.title}`} className="my-1">
        <Icon icon={EllipsisVertical} />
      </IconButton>
    );
    return (
      <Menu trigger={trigger}>
        {isUnread && (
          <MenuItem icon={Check} onSelect={() => markRead.mutate(notification)}>
            Mark as read
          </MenuItem>
        )}
        <MenuItem icon={Trash2} onSelect={() => remove.mutate(notification)}>
          Delete
        </MenuItem>
      </Menu>
    );
  }
  return (
    <div className="absolute top-2 right-0 flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
      {isUnread && (
        <IconButton label="Mark as read" onClick={() => markRead.mutate(notification)}>
          <Icon icon={Check} />
        </IconButton>
      )}
      <IconButton label="Delete" onClick={() => remove.mutate(notification)}>
        <Icon icon={Trash2} />
      </IconButton>
    </div>
  );
}
