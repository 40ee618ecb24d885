import type { NotificationsListInput } from '@chowk/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Bell, CheckCheck, SlidersHorizontal } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { ListPage } from '../../list/list-page.tsx';
import { useList } from '../../list/use-list.ts';
import type { ViewList } from '../../list/view-filters.ts';
import { Views } from '../../list/views.tsx';
import { useInbox, useMarkAllRead } from '../../notifications/inbox.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NotificationList } from './notification-list.tsx';
import { typeLabel } from './type-label.ts';

const severities = [
  ['info', 'Information'],
  ['success', 'Success'],
  ['warning', 'Warnings'],
  ['error', 'Errors'],
] as const;

const viewList: ViewList = {
  action: 'notifications.list',
  fields: ['unread', 'type', 'severity'],
  types: { unread: 'boolean' },
  names: { unread: 'unread_only' },
};

/** What the user has missed. */
export function NotificationsPage() {
  return (
    <Needs permission="notifications.view">
      <Notifications />
    </Needs>
  );
}

function Notifications() {
  const search: Search = useSearch({ from: '/shell/notifications' });
  const { unread, type, severity } = search;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '/notifications', search: next });
  const { data: inbox } = useInbox();
  const markAll = useMarkAllRead();
  const list = useList(keys.notifications.list(search), async (client, page) => {
    const filters = { unread_only: unread === 'true' || undefined, type, severity } as NotificationsListInput;
    const { notifications, pagination } = await client.notifications.list({ ...filters, ...page });
    return { rows: notifications, total: pagination.total };
  });
  const markAllRead = () => {
    if (inbox && inbox.unread > 0) markAll.mutate(new Date().toISOString());
  };
  useKeys([{ key: 'A', label: 'Mark all as read', run: markAllRead }]);
  const views = [
    { label: 'All', search: {} },
    { label: 'Unread', search: { unread: 'true' }, count: inbox?.unread },
  ];
  const actions = (
    <>
      <Button onClick={markAllRead} disabled={inbox?.unread === 0}>
        <Icon icon={CheckCheck} />
        Mark all read
      </Button>
      <Link
        to="/notifications/preferences"
        className="inline-flex h-9 items-center gap-2 rounded-control border border-edge/60 bg-surface px-3.5 font-medium hover:border-edge hover:bg-sunken max-md:h-11"
      >
        <Icon icon={SlidersHorizontal} />
        Preferences
      </Link>
    </>
  );
  return (
    <ListPage title="Notifications" actions={actions}>
      <Views name="notifications" list={viewList} views={views} search={search} onChange={show} />
      <div className="grid max-w-md grid-cols-2 gap-2 py-3">
        <TypeFilter type={type} onChange={(next) => show({ ...search, type: next })} />
        <Select
          aria-label="Severity"
          value={severity ?? ''}
          onChange={({ target }) => show({ ...search, severity: target.value || undefined })}
        >
          <option value="">Any severity</option>
          {severities.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      <NotificationList list={list} empty={<NothingHere search={search} />} />
    </ListPage>
  );
}

interface TypeFilterProps {
  readonly type: string | undefined;
  readonly onChange: (type: string | undefined) => void;
}

/** The types that modules declare, those of the latest notifications, and the one of the address. */
function TypeFilter({ type, onChange }: TypeFilterProps) {
  const { data } = useApi(keys.notifications.preferences, (client) => client.notifications.getPreferences());
  const { data: inbox } = useInbox();
  const declared = data?.preferences.types ?? [];
  const names = new Set([
    ...declared.map((one) => one.type),
    ...(inbox?.latest.map((one) => one.type) ?? []),
    ...(type === undefined ? [] : [type]),
  ]);
  return (
    <Select aria-label="Type" value={type ?? ''} onChange={({ target }) => onChange(target.value || undefined)}>
      <option value="">Any type</option>
      {[...names].sort().map((name) => (
        <option key={name} value={name}>
          {declared.find((one) => one.type === name)?.description ?? typeLabel(name)}
        </option>
      ))}
    </Select>
  );
}

function NothingHere({ search }: { readonly search: Search }) {
  const isFiltered = search.type !== undefined || search.severity !== undefined;
  const title = isFiltered
    ? 'No notification matches'
    : search.unread
      ? 'You have read everything'
      : 'No notifications yet';
  return (
    <EmptyState icon={Bell} title={title}>
      {isFiltered
        ? 'Choose another type or severity.'
        : 'New orders, messages and changes that concern you appear here.'}
    </EmptyState>
  );
}
