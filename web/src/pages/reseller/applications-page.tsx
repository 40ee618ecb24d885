import type { OnboardingListApplicationsInput, ResellerApplication } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ClipboardPlus } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useCan } from '../../api/use-api.ts';
import type { Column } from '../../list/data-table.tsx';
import { ResourceList } from '../../list/resource-list.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { documentStatuses, filters, listSearch, statuses, viewList, views } from './application-list.ts';

const columnsBesideApplication = ['business', 'status', 'documents'];

/** Businesses that want an organization, and the application that is open beside them. */
export function ApplicationsPage() {
  return (
    <Needs permission="reseller.applications.view">
      <Applications />
    </Needs>
  );
}

function Applications() {
  const search: Search = listSearch(useSearch({ from: '/shell/applications' }));
  const openId = useParams({ strict: false }).id;
  const hasDetail = useChildMatches().length > 0;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const list = useList(keys.applications.list(search), async (client, page) => {
    const input = { ...(search as OnboardingListApplicationsInput), ...page };
    const { applications, pagination } = await client.onboarding.listApplications(input);
    return { rows: applications, total: 'total' in pagination ? pagination.total : 0 };
  });
  return (
    <ResourceList
      title="Applications"
      names={['application', 'applications']}
      icon={ClipboardPlus}
      list={list}
      columns={columns}
      columnsBesideRecord={columnsBesideApplication}
      rowName={({ business_name }) => business_name}
      search={search}
      onSearch={show}
      views={views}
      viewList={viewList}
      filters={filters}
      placeholder="Search business, name or email"
      sortedBy="created_at"
      openId={openId}
      onOpen={({ id }) => void navigate({ to: '/applications/$id', params: { id }, search })}
      detail={hasDetail && <Outlet />}
      empty={<NoApplications />}
      onClear={() => void navigate({ to: '/applications' })}
    />
  );
}

const columns: readonly Column<ResellerApplication>[] = [
  {
    key: 'business',
    label: 'Business',
    sortBy: 'business_name',
    isOnPhone: true,
    cell: ({ id, business_name }) => (
      <Link
        to="/applications/$id"
        params={{ id }}
        search={(search) => listSearch(search)}
        className="block min-w-0 truncate font-medium hover:underline"
      >
        {business_name}
      </Link>
    ),
  },
  { key: 'contact', label: 'Contact', cell: ({ contact_name }) => contact_name },
  { key: 'email', label: 'Email', cell: ({ email }) => <span className="truncate text-secondary">{email}</span> },
  {
    key: 'status',
    label: 'Status',
    width: '9rem',
    isOnPhone: true,
    cell: ({ status }) => <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>,
  },
  {
    key: 'documents',
    label: 'Documents',
    width: '11rem',
    cell: ({ kyc_status }) => (
      <StatusPill tone={documentStatuses[kyc_status].tone}>{documentStatuses[kyc_status].label}</StatusPill>
    ),
  },
  {
    key: 'code',
    label: 'Code',
    width: '9rem',
    cell: ({ referral_code }) => <span className="truncate text-secondary">{referral_code}</span>,
  },
  {
    key: 'created',
    label: 'Received',
    width: '7rem',
    sortBy: 'created_at',
    isNumber: true,
    cell: ({ created_at }) => <RelativeTime time={created_at} />,
  },
];

function NoApplications() {
  const navigate = useNavigate();
  const action = useCan()('reseller.referral_codes.manage') && (
    <Button variant="primary" onClick={() => void navigate({ to: '/codes/new' })}>
      New referral code
    </Button>
  );
  return (
    <EmptyState icon={ClipboardPlus} title="No applications yet" action={action}>
      Give businesses a link with a referral code. Who applies with it is listed here for your review.
    </EmptyState>
  );
}
