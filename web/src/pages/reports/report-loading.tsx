import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { isCalculating } from './use-report.ts';

interface ReportLoadingProps {
  readonly error: Error | null;
  readonly className: string;
}

/** In place of a report that is being read or calculated. */
export function ReportLoading({ error, className }: ReportLoadingProps) {
  if (!error || !isCalculating(error)) return <Loading error={error} className={className} />;
  const [done] = /\d+ %/.exec(error.message) ?? ['Some'];
  return (
    <div className="grid gap-4">
      <Notice>The figures of these days are being calculated. {done} are there, and all will appear here.</Notice>
      <Skeleton className={`w-full ${className}`} />
    </div>
  );
}
