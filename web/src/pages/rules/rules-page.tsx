import type { NotificationRule, NotificationsListRulesInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Zap } from 'lucide-react';
import { useMemo } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useCan } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import type { Column } from '../../list/data-table.tsx';
import { ResourceList } from '../../list/resource-list.tsx';
import { useList } from '../../list/use-list.ts';
import { useMemberName } from '../../people/member-name.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { useEventLabel } from './rule-events.ts';
import { channels, filters, listSearch, viewList, views } from './rule-list.ts';

const columnsBesideRule = ['name', 'event', 'status'];

/** Messages that events cause, and the rule that is open beside them. */
export function RulesPage() {
  return (
    <Needs permission="notifications.rules.manage">
      <Rules />
    </Needs>
  );
}

function Rules() {
  const search: Search = listSearch(useSearch({ from: '/shell/rules' }));
  const openId = useParams({ strict: false }).id;
  const hasDetail = useChildMatches().length > 0;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const list = useList(keys.notifications.ruleList(search), async (client, page) => {
    const { is_active, ...others } = search;
    const input = { ...others, ...(is_active !== undefined && { is_active: is_active === 'true' }), ...page };
    const { rules, pagination } = await client.notifications.listRules(input as NotificationsListRulesInput);
    return { rows: rules, total: pagination.total };
  });
  const eventLabel = useEventLabel();
  const memberName = useMemberName();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they return changes when they are read
  const columns = useMemo(() => ruleColumns(eventLabel, memberName), [eventLabel('order.created'), memberName(0)]);
  return (
    <ResourceList
      title="Rules"
      names={['rule', 'rules']}
      icon={Zap}
      list={list}
      columns={columns}
      columnsBesideRecord={columnsBesideRule}
      rowName={ruleName}
      search={search}
      onSearch={show}
      views={views}
      viewList={viewList}
      filters={filters}
      placeholder="Search name"
      sortedBy="created_at"
      openId={openId}
      onOpen={({ id }) => void navigate({ to: '/rules/$id', params: { id }, search })}
      detail={hasDetail && <Outlet />}
      actions={<NewRuleButton search={search} />}
      empty={<NoRules />}
      onClear={() => void navigate({ to: '/rules' })}
    />
  );
}

export function ruleName({ name, event }: Pick<NotificationRule, 'name' | 'event'>): string {
  return name ?? event;
}

function ruleColumns(
  eventLabel: (event: string) => string,
  memberName: (id: number | null) => string | undefined,
): readonly Column<NotificationRule>[] {
  return [
    {
      key: 'name',
      label: 'Rule',
      isOnPhone: true,
      cell: (rule) => (
        <Link
          to="/rules/$id"
          params={{ id: rule.id }}
          search={(search) => listSearch(search)}
          className="block min-w-0 truncate font-medium hover:underline"
        >
          {ruleName(rule)}
        </Link>
      ),
    },
    {
      key: 'event',
      label: 'When',
      cell: ({ event }) => <span className="text-secondary">{eventLabel(event)}</span>,
    },
    {
      key: 'channel',
      label: 'By',
      width: '8rem',
      cell: ({ channel }) => (
        <span className="flex items-center gap-2">
          <Icon icon={channels[channel].icon} size={14} className="text-secondary" />
          {channels[channel].label}
        </span>
      ),
    },
    {
      key: 'recipient',
      label: 'To',
      width: '10rem',
      cell: ({ recipient }) =>
        recipient === 'customer'
          ? 'Customer'
          : 'role' in recipient
            ? recipient.role
            : (memberName(recipient.user_id) ?? 'A member'),
    },
    {
      key: 'purpose',
      label: 'Purpose',
      width: '8rem',
      isExtra: true,
      cell: ({ purpose }) => (purpose === 'marketing' ? 'Marketing' : 'Transactional'),
    },
    {
      key: 'status',
      label: 'Status',
      width: '6rem',
      isOnPhone: true,
      cell: ({ is_active }) => (is_active ? <StatusPill tone="success">On</StatusPill> : <StatusPill>Off</StatusPill>),
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
}

function NewRuleButton({ search }: { readonly search: Search }) {
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/rules/new', search });
  useKeys([{ key: 'n', label: 'New rule', run: create }]);
  return (
    <Button variant="primary" onClick={create}>
      <Icon icon={Plus} strokeWidth={1.75} />
      New rule
    </Button>
  );
}

function NoRules() {
  const can = useCan();
  const navigate = useNavigate();
  const action = (
    <div className="flex flex-wrap justify-center gap-2">
      <Button variant="primary" onClick={() => void navigate({ to: '/rules/new' })}>
        New rule
      </Button>
      {can('settings.view') && (
        <Button onClick={() => void navigate({ to: '/settings/$page', params: { page: 'mails' } })}>
          Ready-made mails
        </Button>
      )}
    </div>
  );
  return (
    <EmptyState icon={Zap} title="No rules yet" action={action}>
      A rule sends a message automatically: to the customer when an order ships, or to the team when a large one comes
      in.
    </EmptyState>
  );
}
