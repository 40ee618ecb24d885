import { ChowkError } from '@chowk/client';
import { ArrowLeft, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { errorMessage } from '../format/error-message.ts';
import { useKeys } from '../keyboard/keys.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ReadError } from '../ui/read-error.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

interface DetailPanelProps {
  /** `undefined` while it is being read. */
  readonly title: string | undefined;
  readonly error?: Error | null;
  readonly actions?: ReactNode;
  /** The actions are icons, for which there is room beside any title. */
  readonly hasIconActions?: boolean;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

const longTitle = 28;

/** A record of a list: beside it on wide screens, instead of it on narrow ones. */
export function DetailPanel({ title, error, actions, hasIconActions = false, onClose, children }: DetailPanelProps) {
  useKeys([{ key: 'Escape', label: 'Close', run: onClose }]);
  // A long title has a line of its own.
  const isLong = !hasIconActions && title !== undefined && title.length > longTitle;
  return (
    <article className="grid grid-cols-1 content-start gap-6 px-4 pt-2 pb-12 max-md:pt-4 md:px-6">
      {title !== undefined && <title>{`${title} · Chowk`}</title>}
      <div className="sticky top-0 z-[1] -mx-1 flex min-h-9 flex-wrap items-center gap-2 bg-canvas px-1 py-1">
        <IconButton label="Back to the list" className="xl:hidden" onClick={onClose}>
          <Icon icon={ArrowLeft} size={18} />
        </IconButton>
        <h1 title={title} className="line-clamp-4 min-w-0 flex-1 break-words text-xl font-semibold tracking-tight">
          {title ?? (error ? 'This cannot be shown' : <Skeleton className="h-6 w-48" />)}
        </h1>
        {actions && <div className={isLong ? 'order-last flex w-full flex-wrap gap-2' : 'contents'}>{actions}</div>}
        <IconButton label="Close" className="max-xl:hidden" onClick={onClose}>
          <Icon icon={X} />
        </IconButton>
      </div>
      {error ? <ReadError error={error} message={describe(error)} /> : title === undefined ? <Loading /> : children}
    </article>
  );
}

/** An address with an id that no record can have. */
function describe(error: Error): string {
  const isMistyped = error instanceof ChowkError && error.fields.id !== undefined;
  return isMistyped ? 'There is nothing at this address. It may be mistyped.' : errorMessage(error);
}

function Loading() {
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-16 w-full" />
      <Skeleton className="h-40 w-full" />
      <Skeleton className="h-40 w-full" />
    </div>
  );
}
