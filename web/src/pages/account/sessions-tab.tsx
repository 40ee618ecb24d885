import type { Session } from '@chowk/client';
import { Monitor, Smartphone, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { affectedBySessions } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { describeDevice, isPhone } from './user-agent.ts';

export function SessionsTab() {
  const { data, error } = useApi(keys.profile.sessions, (client) => client.profile.sessions());
  const [isAsking, ask] = useState(false);
  const others = data?.sessions.filter(({ current }) => !current).length ?? 0;
  const endOthers = useAction((client) => client.profile.endOtherSessions(), {
    affects: affectedBySessions,
    done: ({ count }) => `${sessions(count)} ended.`,
  });
  return (
    <Section
      title="Where you are signed in"
      lead="End a session that you do not know, and change your password."
      actions={others > 0 && <Button onClick={() => ask(true)}>Sign out everywhere else</Button>}
    >
      {error && !data && <ReadError error={error} />}
      {!data && !error && <Skeleton className="h-40 w-full" />}
      {data && (
        <ul className="divide-y divide-line border-y border-line">
          {[...data.sessions]
            .sort((one, other) => Number(other.current) - Number(one.current))
            .map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
        </ul>
      )}
      <ConfirmDialog
        title="Sign out everywhere else?"
        isOpen={isAsking}
        onClose={() => ask(false)}
        action={`End ${sessions(others)}`}
        isBusy={endOthers.isPending}
        onConfirm={() => endOthers.mutate(undefined, { onSettled: () => ask(false) })}
      >
        {sessions(others)} will end at once. This one stays, and your personal access tokens stay valid.
      </ConfirmDialog>
    </Section>
  );
}

function sessions(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}

function SessionItem({ session }: { readonly session: Session }) {
  const { id, kind, name, user_agent, ip, created_at, last_used_at, current } = session;
  const device = describeDevice(user_agent);
  // The name of a program; a browser has only that of the console.
  const program = kind === 'device' ? name : null;
  const label = program ?? device;
  const end = useAction((client) => client.profile.endSession({ id }), {
    affects: affectedBySessions,
    done: () => `Session of ${label} ended.`,
  });
  const icon = kind === 'device' ? SquareTerminal : isPhone(user_agent) ? Smartphone : Monitor;
  return (
    <li className="flex items-center gap-x-3 py-3">
      <Icon icon={icon} size={20} className="mt-0.5 shrink-0 self-start text-secondary" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="min-w-0 font-medium wrap-anywhere">{label}</span>
          {current && <StatusPill tone="success">This session</StatusPill>}
        </div>
        <div className="text-sm text-secondary">
          {[program !== null && device, ip ?? 'Unknown address'].filter(Boolean).join(' · ')}
        </div>
        <div className="text-sm text-faint">
          <span title={exactTime(last_used_at)}>Last seen {relativeTime(last_used_at)}</span>
          {' · '}
          <span title={exactTime(created_at)}>signed in {relativeTime(created_at)}</span>
        </div>
      </div>
      {!current && (
        <Button isBusy={end.isPending} aria-label={`End the session of ${label}`} onClick={() => end.mutate(undefined)}>
          End
        </Button>
      )}
    </li>
  );
}
