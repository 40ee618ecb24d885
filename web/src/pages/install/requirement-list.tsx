import type { Requirements } from '@chowk/client';
import { Check, X } from 'lucide-react';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** The failed checks first, with what to do about them. */
export function RequirementList({ report }: { readonly report: Requirements | undefined }) {
  if (!report) {
    return (
      <div role="status" className="grid gap-2 py-1">
        <span className="sr-only">Checking this machine…</span>
        {['w-56', 'w-44', 'w-64', 'w-52', 'w-48'].map((width) => (
          <Skeleton key={width} className={`h-4 ${width}`} />
        ))}
      </div>
    );
  }
  const failed = report.requirements.filter(({ passed }) => !passed);
  const met = report.requirements.filter(({ passed }) => passed);
  return (
    <div className="grid gap-3">
      {failed.length > 0 && (
        <ul className="grid gap-2">
          {failed.map(({ key, label, detail }) => (
            <li key={key} className="flex gap-2.5 rounded-control bg-error-tint px-3 py-2.5">
              <Icon icon={X} strokeWidth={2} className="mt-0.5 shrink-0 text-error" />
              <div>
                <div className="font-medium text-error">
                  <span className="sr-only">Not met: </span>
                  {label}
                </div>
                <div className="text-sm text-text first-letter:uppercase">{detail}</div>
              </div>
            </li>
          ))}
        </ul>
      )}
      <details open={failed.length > 0 ? undefined : false} className="group">
        <summary className="inline-flex min-h-8 cursor-pointer items-center gap-2 rounded-control text-secondary hover:text-text max-md:min-h-11">
          <Icon icon={Check} strokeWidth={2} className="text-success" />
          {met.length} of {report.requirements.length} checks passed
          <span className="text-accent group-open:hidden">Show</span>
        </summary>
        <ul className="mt-1 grid gap-x-6 gap-y-1 sm:grid-cols-2">
          {met.map(({ key, label, detail }) => (
            <li key={key} className="flex gap-2 text-sm" title={detail}>
              <Icon icon={Check} size={14} strokeWidth={2} className="mt-0.75 shrink-0 text-success" />
              {label}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
