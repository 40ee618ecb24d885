import { useMinute } from '../time/minute.ts';
import { relativeTime } from '../time/relative-time.ts';
import { exactTime } from '../time/times.ts';

export function RelativeTime({ time }: { readonly time: string }) {
  useMinute();
  return (
    <time dateTime={time} title={exactTime(time)} className="whitespace-nowrap text-faint">
      {relativeTime(time)}
    </time>
  );
}
