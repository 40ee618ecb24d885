import type { Member } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { UserRoundX } from 'lucide-react';
import { useState } from 'react';
import { ActivityList } from '../../activity/activity-list.tsx';
import { readChanges } from '../../activity/read-changes.ts';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan, useMe } from '../../api/use-api.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { ChangeRole } from './change-role.tsx';
import { memberSearch } from './member-search.ts';
import { useIsWithinOwn } from './own-permissions.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { TransferOwnership } from './transfer-ownership.tsx';

export function MemberPanel() {
  const id = Number(useParams({ from: '/shell/team/$id' }).id);
  const search = memberSearch(useSearch({ from: '/shell/team' }));
  const navigate = useNavigate();
  const mayRemove = useMayRemove();
  const can = useCan();
  const [isRemoving, setRemoving] = useState(false);
  const { data, error } = useApi(keys.team.member(id), (client) => client.team.get({ id }));
  const member = data?.member;
  const close = () => navigate({ to: '/team', search });
  return (
    <DetailPanel
      key={id}
      title={member?.name}
      error={member ? null : error}
      onClose={close}
      actions={
        member &&
        mayRemove(member) && (
          <Button onClick={() => setRemoving(true)}>
            <Icon icon={UserRoundX} />
            Remove
          </Button>
        )
      }
    >
      {member && (
        <>
          <Details member={member} />
          <ChangeRole member={member} />
          <TransferOwnership member={member} />
          {can('audit.view') && <RecentChanges member={member} />}
          <RemoveDialog member={member} isOpen={isRemoving} onClose={() => setRemoving(false)} onRemoved={close} />
        </>
      )}
    </DetailPanel>
  );
}

/** Members with more permissions than the user cannot be removed. */
function useMayRemove(): (member: Member) => boolean {
  const can = useCan();
  const isWithinOwn = useIsWithinOwn();
  const { data } = useApi(keys.team.roles, (client) => client.roles.list(), can('team.roles.view'));
  return (member) => {
    const role = data?.roles.find(({ name }) => name === member.role);
    return can('team.remove') && (role ? isWithinOwn(role) : !can('team.roles.view'));
  };
}

function Details({ member }: { readonly member: Member }) {
  const { email, email_verified, two_factor_enabled, joined_at, last_active_at } = member;
  return (
    <dl className="-mt-2 grid grid-cols-[8rem_1fr] gap-y-2">
      <dt className="text-secondary">Email</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2">
        <a href={`mailto:${email}`} className="min-w-0 break-all underline-offset-4 hover:underline">
          {email}
        </a>
        {!email_verified && <StatusPill tone="warning">Not verified</StatusPill>}
      </dd>
      <dt className="text-secondary">Two-factor</dt>
      <dd>{two_factor_enabled ? 'On' : 'Off'}</dd>
      <dt className="text-secondary">Joined</dt>
      <dd>
        <RelativeTime time={joined_at} />
      </dd>
      <dt className="text-secondary">Last active</dt>
      <dd>{last_active_at ? <RelativeTime time={last_active_at} /> : 'Never'}</dd>
    </dl>
  );
}

const shownChanges = 8;

function RecentChanges({ member: { id } }: { readonly member: Member }) {
  const isSelf = useMe().data?.id === id;
  const can = useCan();
  const { data, error } = useApi(keys.team.activity(id), (client) =>
    readChanges(client, can, { user_id: id, per_page: shownChanges }),
  );
  return (
    <Section
      title="Activity"
      actions={
        <Link
          to="/activity"
          search={{ user_id: String(id) }}
          className="text-sm text-accent underline-offset-4 hover:underline"
        >
          Show all
        </Link>
      }
    >
      <ActivityList
        changes={data?.changes}
        error={error}
        empty={isSelf ? 'You have changed nothing yet.' : 'No changes yet.'}
      />
    </Section>
  );
}
