import type { ReferralCode, ReferralCodesListInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Tag } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { count } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import type { Column } from '../../list/data-table.tsx';
import { ResourceList } from '../../list/resource-list.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { filters, listSearch, roles, viewList, views } from './code-list.ts';
import { codeState } from './code-state.ts';

const columnsBesideCode = ['code', 'status', 'uses'];

/** Codes that businesses apply with, and the one that is open beside them. */
export function CodesPage() {
  return (
    <Needs permission="reseller.referral_codes.manage">
      <Codes />
    </Needs>
  );
}

function Codes() {
  const search: Search = listSearch(useSearch({ from: '/shell/codes' }));
  const openId = useParams({ strict: false }).id;
  const hasDetail = useChildMatches().length > 0;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const create = () => void navigate({ to: '/codes/new', search });
  useKeys([{ key: 'n', label: 'New referral code', run: create }]);
  const list = useList(keys.codes.list(search), async (client, page) => {
    const { referral_codes, pagination } = await client.referralCodes.list({
      ...(search as ReferralCodesListInput),
      ...page,
    });
    return { rows: referral_codes, total: 'total' in pagination ? pagination.total : 0 };
  });
  const newCode = (
    <Button variant="primary" onClick={create}>
      <Icon icon={Plus} strokeWidth={1.75} />
      New referral code
    </Button>
  );
  return (
    <ResourceList
      title="Referral codes"
      names={['referral code', 'referral codes']}
      icon={Tag}
      list={list}
      columns={columns}
      columnsBesideRecord={columnsBesideCode}
      rowName={({ code }) => code}
      search={search}
      onSearch={show}
      views={views}
      viewList={viewList}
      filters={filters}
      placeholder="Search code"
      sortedBy="created_at"
      openId={openId}
      onOpen={({ id }) => void navigate({ to: '/codes/$id', params: { id }, search })}
      detail={hasDetail && <Outlet />}
      actions={newCode}
      empty={
        <EmptyState icon={Tag} title="No referral codes yet" action={newCode}>
          A code says which businesses came through you, and whether they need a review.
        </EmptyState>
      }
      onClear={() => void navigate({ to: '/codes' })}
    />
  );
}

const columns: readonly Column<ReferralCode>[] = [
  {
    key: 'code',
    label: 'Code',
    sortBy: 'code',
    isOnPhone: true,
    cell: ({ id, code }) => (
      <Link
        to="/codes/$id"
        params={{ id }}
        search={(search) => listSearch(search)}
        className="block min-w-0 truncate font-medium hover:underline"
      >
        {code}
      </Link>
    ),
  },
  {
    key: 'status',
    label: 'Status',
    width: '8rem',
    isOnPhone: true,
    cell: (code) => {
      const { label, tone } = codeState(code);
      return <StatusPill tone={tone}>{label}</StatusPill>;
    },
  },
  {
    key: 'uses',
    label: 'Used',
    width: '8rem',
    isNumber: true,
    cell: ({ uses, max_uses }) => (max_uses === null ? count(uses) : `${count(uses)} of ${count(max_uses)}`),
  },
  { key: 'role', label: 'For', width: '7rem', cell: ({ tenant_role }) => roles[tenant_role] },
  {
    key: 'review',
    label: 'Review',
    width: '13rem',
    cell: (code) => <span className="text-secondary">{reviewText(code)}</span>,
  },
  {
    key: 'ends',
    label: 'Ends',
    width: '11rem',
    cell: ({ expires_at }) => expires_at && <span className="text-secondary">{exactTime(expires_at)}</span>,
  },
  {
    key: 'created',
    label: 'Created',
    width: '7rem',
    sortBy: 'created_at',
    isNumber: true,
    cell: ({ created_at }) => <RelativeTime time={created_at} />,
  },
];

function reviewText({ kyc_required, auto_approve }: ReferralCode): string {
  if (kyc_required) return auto_approve ? 'Documents' : 'Documents and approval';
  return auto_approve ? 'None' : 'Approval';
}
