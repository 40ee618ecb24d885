import type { Invitation } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { InviteButton } from './invite-button.tsx';
import { TeamLayout } from './team-layout.tsx';

/** Invitations that can still be accepted. */
export function InvitationsPage() {
  const { open } = useSearch({ from: '/shell/team/invitations' });
  const navigate = useNavigate();
  const can = useCan();
  const invite = can('team.invite') && (
    <InviteButton
      isOpen={open === 'new'}
      onOpenChange={(isOpen) =>
        void navigate({ to: '/team/invitations', search: isOpen ? { open: 'new' } : {}, replace: true })
      }
    />
  );
  return (
    <TeamLayout tab="/team/invitations" actions={invite}>
      <Invitations />
    </TeamLayout>
  );
}

function Invitations() {
  const { data, error } = useApi(keys.team.openInvitations, (client) => client.invitations.list({ per_page: 100 }));
  const [withdrawn, setWithdrawn] = useState<Invitation>();
  if (!data) return <Loading error={error} className="mt-4 h-40" />;
  if (data.invitations.length === 0) {
    return (
      <EmptyState icon={Mail} title="No open invitations">
        Whom you invite gets an email with a link, and is listed here until they have accepted it. A link is valid for
        seven days.
      </EmptyState>
    );
  }
  return (
    <ul className="min-h-0 flex-1 divide-y divide-line overflow-y-auto pb-12">
      {data.invitations.map((invitation) => (
        <InvitationItem key={invitation.id} invitation={invitation} onWithdraw={() => setWithdrawn(invitation)} />
      ))}
      <WithdrawDialog invitation={withdrawn} onClose={() => setWithdrawn(undefined)} />
    </ul>
  );
}

interface InvitationItemProps {
  readonly invitation: Invitation;
  readonly onWithdraw: () => void;
}

function InvitationItem({ invitation, onWithdraw }: InvitationItemProps) {
  const { id, email, role, invited_by, updated_at, expires_at } = invitation;
  const canInvite = useCan()('team.invite');
  const resend = useAction((client) => client.invitations.resend({ invitation: id }), {
    affects: [keys.team.invitations],
    done: () => `A new link is on its way to ${email}. The old one no longer works.`,
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <Icon icon={Mail} size={20} className="mt-0.5 shrink-0 self-start text-secondary" />
      <div className="grid min-w-48 flex-1 gap-0.5">
        <span className="font-medium wrap-anywhere">{email}</span>
        <span className="text-sm text-secondary">
          {role}
          {invited_by && `, invited by ${invited_by.name}`}
        </span>
        <span className="text-sm text-faint">
          <span title={exactTime(updated_at)}>Sent {relativeTime(updated_at)}</span>
          {' · '}
          expires {exactTime(expires_at)}
        </span>
      </div>
      {canInvite && (
        <div className="flex gap-2 max-sm:pl-8">
          <Button
            aria-label={`Resend the invitation to ${email}`}
            isBusy={resend.isPending}
            onClick={() => resend.mutate(undefined)}
          >
            Resend
          </Button>
          <Button variant="quiet" aria-label={`Withdraw the invitation to ${email}`} onClick={onWithdraw}>
            Withdraw
          </Button>
        </div>
      )}
    </li>
  );
}

interface WithdrawDialogProps {
  readonly invitation: Invitation | undefined;
  readonly onClose: () => void;
}

function WithdrawDialog({ invitation, onClose }: WithdrawDialogProps) {
  const withdraw = useAction((client, { id }: Invitation) => client.invitations.delete({ invitation: id }), {
    affects: [keys.team.invitations],
    done: (_result, { email }) => `Invitation to ${email} withdrawn.`,
  });
  return (
    <ConfirmDialog
      title="Withdraw this invitation?"
      isOpen={invitation !== undefined}
      onClose={onClose}
      action="Withdraw"
      isBusy={withdraw.isPending}
      onConfirm={() => invitation && withdraw.mutate(invitation, { onSettled: onClose })}
    >
      The link that <strong className="font-medium wrap-anywhere text-text">{invitation?.email}</strong> got no longer
      works. You can invite them again.
    </ConfirmDialog>
  );
}
