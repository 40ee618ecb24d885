import type { Member, TeamListInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan, useMe } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { NoMatch } from '../../list/no-match.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { InviteButton } from './invite-button.tsx';
import { memberSearch } from './member-search.ts';
import { TeamLayout } from './team-layout.tsx';

/** Everyone who may sign in to the organization, and the member who is open beside them. */
export function MembersPage() {
  const can = useCan();
  const hasDetail = useChildMatches().length > 0;
  return (
    <TeamLayout tab="/team" actions={can('team.invite') && <InviteButton />} detail={hasDetail && <Outlet />}>
      <Members />
    </TeamLayout>
  );
}

type Row = Omit<Member, 'id'> & { readonly id: string };

function Members() {
  const search: Search = memberSearch(useSearch({ from: '/shell/team' }));
  const openId = useParams({ strict: false }).id;
  const can = useCan();
  const navigate = useNavigate();
  const { data: me } = useMe();
  const { data: roles } = useApi(keys.team.roles, (client) => client.roles.list(), can('team.roles.view'));
  const list = useList<Row>(keys.team.list(search), async (client, page) => {
    const { team, pagination } = await client.team.list({ ...(search as TeamListInput), ...page });
    return { rows: team.map((member) => ({ ...member, id: String(member.id) })), total: pagination.total };
  });
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const names = roles?.roles.map(({ name }) => [name, name] as const);
  return (
    <>
      <FilterBar
        search={search}
        filters={names ? [{ key: 'role', label: 'Role', options: names }] : []}
        placeholder="Search name or email"
        onChange={show}
        total={list.total}
      />
      <DataTable
        caption="Members"
        list={list}
        columns={columns(me?.id)}
        rowName={({ name }) => name}
        openId={openId}
        onOpen={({ id }) => void navigate({ to: '/team/$id', params: { id }, search })}
        sort={{ by: search.sort_by ?? 'name', order: search.sort_order === 'desc' ? 'desc' : 'asc' }}
        onSort={({ by, order }) => show({ ...search, sort_by: by, sort_order: order })}
        empty={
          <NoMatch icon={UsersRound} names={['member', 'members']} onClear={() => void navigate({ to: '/team' })} />
        }
      />
    </>
  );
}

function columns(ownId: number | undefined): readonly Column<Row>[] {
  return [
    {
      key: 'name',
      label: 'Name',
      sortBy: 'name',
      isOnPhone: true,
      cell: ({ id, name }) => (
        <span className="flex min-w-0 items-baseline gap-1.5">
          <Link
            to="/team/$id"
            params={{ id }}
            search={(search) => memberSearch(search)}
            className="min-w-0 truncate font-medium hover:underline"
          >
            {name}
          </Link>
          {id === String(ownId) && <span className="text-faint">you</span>}
        </span>
      ),
    },
    {
      key: 'email',
      label: 'Email',
      sortBy: 'email',
      cell: ({ email, email_verified }) => (
        <span className="flex min-w-0 items-center gap-2 text-secondary">
          <span className="min-w-0 truncate">{email}</span>
          {!email_verified && <StatusPill tone="warning">Not verified</StatusPill>}
        </span>
      ),
    },
    { key: 'role', label: 'Role', width: '9rem', sortBy: 'role', isOnPhone: true, cell: ({ role }) => role },
    {
      key: 'active',
      label: 'Last active',
      width: '8rem',
      sortBy: 'last_active_at',
      isNumber: true,
      cell: ({ last_active_at }) =>
        last_active_at ? <RelativeTime time={last_active_at} /> : <span className="text-faint">Never</span>,
    },
    {
      key: 'two-factor',
      label: 'Two-factor',
      width: '7rem',
      cell: ({ two_factor_enabled }) =>
        two_factor_enabled ? <StatusPill tone="success">On</StatusPill> : <span className="text-faint">Off</span>,
    },
    {
      key: 'joined',
      label: 'Joined',
      width: '8rem',
      sortBy: 'joined_at',
      isNumber: true,
      cell: ({ joined_at }) => <RelativeTime time={joined_at} />,
    },
  ];
}
