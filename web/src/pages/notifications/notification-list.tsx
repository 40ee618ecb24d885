import type { Notification } from '@chowk/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useKeys } from '../../keyboard/keys.ts';
import type { List } from '../../list/use-list.ts';
import { useDelete, useMarkRead } from '../../notifications/inbox.ts';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NotificationRow } from './notification-row.tsx';

interface NotificationListProps {
  readonly list: List<Notification>;
  /** If there are none. */
  readonly empty: ReactNode;
}

const estimatedHeight = 53;

/** As many rows as the screen has room for, of a list of any length. */
export function NotificationList({ list, empty }: NotificationListProps) {
  const scroller = useRef<HTMLElement>(null);
  const [current, setCurrent] = useState(-1);
  const markRead = useMarkRead();
  const remove = useDelete();
  const total = list.total ?? 0;
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedHeight,
    overscan: 8,
  });
  const items = rows.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => list.show(first, last));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setCurrent(-1);
  }, [list.identity]);
  const focusRow = (index: number) => {
    if (total === 0) return;
    const next = Math.min(Math.max(index, 0), total - 1);
    rows.scrollToIndex(next);
    setCurrent(next);
    scroller.current?.querySelector<HTMLElement>(`[data-row="${next}"] [data-open]`)?.focus({ preventScroll: true });
  };
  const withFocused = (run: (one: Notification) => void) => () => {
    const one = list.rowAt(focusedRow() ?? -1);
    if (one) run(one);
  };
  useKeys([
    { key: 'j', label: 'Next notification', run: () => focusRow((focusedRow() ?? current) + 1) },
    { key: 'k', label: 'Previous notification', run: () => focusRow((focusedRow() ?? current) - 1) },
    { key: 'e', label: 'Mark as read', run: withFocused((one) => one.read_at === null && markRead.mutate(one)) },
    { key: 'Delete', label: 'Delete the notification', run: withFocused((one) => remove.mutate(one)) },
  ]);
  const currentId = list.rowAt(current)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the row with the focus has gone, the next one gets it
  useEffect(() => {
    if (current >= 0 && document.activeElement === document.body) focusRow(current);
  }, [currentId]);
  if (list.error && list.total === undefined) return <ReadError error={list.error} />;
  if (list.total === 0) return empty;
  return (
    <section
      ref={scroller}
      aria-label="Notifications"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
      tabIndex={0}
      className={`relative min-h-0 flex-1 overflow-auto overscroll-contain pb-8 ${list.isOutdated ? 'opacity-60 transition-opacity' : ''}`}
    >
      {list.total === undefined ? (
        <LoadingRows />
      ) : (
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const one = list.rowAt(index);
            return (
              <li
                key={one?.id ?? index}
                ref={rows.measureElement}
                data-index={index}
                data-row={index}
                aria-setsize={total}
                aria-posinset={index + 1}
                onFocus={() => setCurrent(index)}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start}px)` }}
              >
                {one ? <NotificationRow notification={one} /> : <LoadingRow />}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** By its place now: rows that arrive move the others down. */
function focusedRow(): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row;
  return row === undefined ? undefined : Number(row);
}

function LoadingRows() {
  return (
    <div role="status">
      <span className="sr-only">Loading…</span>
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <div key={key} className="border-b border-line">
          <LoadingRow />
        </div>
      ))}
    </div>
  );
}

function LoadingRow() {
  return (
    <div className="flex h-13 items-center gap-3 px-1">
      <Skeleton className="size-8 rounded-full!" />
      <Skeleton className="h-3.5 w-1/2" />
    </div>
  );
}
