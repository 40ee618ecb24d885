import type { Notification } from '@chowk/client';

/** How often a notification was repeated, unless its title says so: `12 new orders`. */
export function Repeats({ notification: { count, title } }: { readonly notification: Notification }) {
  if (count < 2 || new RegExp(`\\b${count}\\b`).test(title)) return null;
  return <span className="numeric font-normal text-secondary"> × {count}</span>;
}
