import { relativeTime } from '../format.ts';
import { useMinute } from '../minute.ts';
import { exactTime } from '../times.ts';

export function RelativeTime({ time }: { readonly time: string }) {
  useMinute();
  return (
    <time dateTime={time} title={exactTime(time)} className="whitespace-nowrap text-faint">
      {relativeTime(time)}
    </time>
  );
}
