import { exactTime, relativeTime } from '../format.ts';

export function RelativeTime({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={exactTime(time)} className="whitespace-nowrap text-faint">
      {relativeTime(time)}
    </time>
  );
}
