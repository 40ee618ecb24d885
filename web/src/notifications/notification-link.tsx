import type { Notification } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMarkRead } from './inbox.ts';
import { subjectPath } from './subject.ts';

interface NotificationLinkProps {
  readonly notification: Notification;
  readonly onOpen: () => void;
  readonly className: string;
  readonly children: ReactNode;
}

/** Leads to what the notification is about, if there is something, and marks it as read. */
export function NotificationLink({ notification, onOpen, className, children }: NotificationLinkProps) {
  const markRead = useMarkRead();
  const path = subjectPath(notification);
  const read = () => {
    if (notification.read_at === null) markRead.mutate(notification);
  };
  return path === undefined ? (
    <button type="button" data-open onClick={read} className={className}>
      {children}
    </button>
  ) : (
    <Link
      to={path}
      data-open
      preload={false}
      onClick={() => {
        read();
        onOpen();
      }}
      className={className}
    >
      {children}
    </Link>
  );
}
