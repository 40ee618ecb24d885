import { Loading } from '../ui/loading.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { ChangeSentence } from './change-sentence.tsx';
import type { Change } from './read-changes.ts';

interface ActivityListProps {
  /** `undefined` until they have been read. */
  readonly changes: readonly Change[] | undefined;
  readonly error: Error | null;
  /** Instead of the list, if there are none. */
  readonly empty: string;
}

/** A few changes, newest first. */
export function ActivityList({ changes, error, empty }: ActivityListProps) {
  if (!changes) return <Loading error={error} className="h-40" />;
  if (changes.length === 0) return <p className="text-secondary">{empty}</p>;
  return (
    <ol className="grid gap-2.5">
      {changes.map((change) => (
        <li key={change.id} className="grid grid-cols-[1fr_auto] items-baseline gap-3 text-sm">
          <ChangeSentence change={change} />
          <span className="text-xs">
            <RelativeTime time={change.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
