import type { AppGrant } from '@chowk/client';
import { SquareTerminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';

interface GrantItemProps {
  readonly grant: AppGrant;
  readonly isBusy: boolean;
  readonly onRemove: () => void;
  /** Other buttons. */
  readonly actions?: ReactNode;
  /** After the time: `by Asha Rao`. */
  readonly children: ReactNode;
}

/** An app that has access, and the end of it. */
export function GrantItem({ grant: { app, scopes, created_at }, isBusy, onRemove, actions, children }: GrantItemProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <Icon icon={SquareTerminal} size={20} className="mt-0.5 shrink-0 self-start text-secondary" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 font-medium wrap-anywhere">
          {app.name}
          {app.publisher === null && <StatusPill tone="warning">Not verified</StatusPill>}
        </span>
        <span className="text-sm wrap-anywhere text-secondary">{scopes.join(', ')}</span>
        <span className="text-sm text-faint">
          <span title={exactTime(created_at)}>Connected {relativeTime(created_at)}</span> {children}
        </span>
      </div>
      {actions}
      <Button aria-label={`End access of ${app.name}`} onClick={() => setAsked(true)}>
        End access
      </Button>
      <ConfirmDialog
        title="End the access of this app?"
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        action="End access"
        isBusy={isBusy}
        onConfirm={() => {
          onRemove();
          setAsked(false);
        }}
      >
        <strong className="font-medium wrap-anywhere text-text">{app.name}</strong> is refused at once. To use it again,
        it must be connected again.
      </ConfirmDialog>
    </li>
  );
}
