import type { Notification } from '@chowk/client';

/* The latest notifications, as they are read, arrive over the socket and change. */

export type Rows = readonly Notification[];

export interface Inbox {
  readonly latest: Rows;
  readonly unread: number;
}

export const latestCount = 10;

/** The inbox with one that has arrived. The same inbox if it has it already. */
export function addNotification(inbox: Inbox, one: Notification): Inbox {
  if (isKnown(inbox.latest, one)) return inbox;
  // Only an unread notification is repeated.
  const wasUnread = one.count > 1 || inbox.latest.some(({ id, read_at }) => id === one.id && read_at === null);
  return {
    latest: mergeLatest(inbox.latest, [one]),
    unread: wasUnread ? inbox.unread : inbox.unread + 1,
  };
}

/** Those that the inbox does not have: a refetch may have read some before. */
export function findMissed(latest: Rows, read: Rows): Rows {
  return read.filter((one) => !isKnown(latest, one));
}

/** A repeated notification has the same id and another time. */
function isKnown(rows: Rows, { id, created_at }: Notification): boolean {
  return rows.some((one) => one.id === id && one.created_at === created_at);
}

export function mergeLatest(rows: Rows, added: Rows): Rows {
  const others = rows.filter(({ id }) => !added.some((one) => one.id === id));
  return newestFirst([...added, ...others]).slice(0, latestCount);
}

/** Ids sort by time. The first row may have an older one: a repeated notification keeps its id. */
export function findNewestId(rows: Rows): string | undefined {
  return rows
    .map(({ id }) => id)
    .sort()
    .at(-1);
}

export function markReadAt(rows: Rows, time: string, isAffected: (one: Notification) => boolean): Rows {
  return rows.map((one) => (one.read_at === null && isAffected(one) ? { ...one, read_at: time } : one));
}

export function newestFirst(rows: Rows): Rows {
  return rows.toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
}
