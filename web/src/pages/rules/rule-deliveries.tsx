import type { NotificationRuleDelivery } from '@chowk/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { tenantKey, useCan } from '../../api/use-api.ts';
import { api, useTenant } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';

type Status = NotificationRuleDelivery['status'];

const statuses: Readonly<Record<Status, { readonly label: string; readonly tone: Tone }>> = {
  sent: { label: 'Sent', tone: 'success' },
  queued: { label: 'Waiting', tone: 'info' },
  failed: { label: 'Failed', tone: 'error' },
  skipped: { label: 'Skipped', tone: 'neutral' },
};

/** What the rule has sent, and why not, the last one first. */
export function RuleDeliveries({ id }: { readonly id: string }) {
  const { status: chosen } = useSearch({ from: '/shell/rules/$id' });
  const status = chosen !== undefined && Object.hasOwn(statuses, chosen) ? (chosen as Status) : undefined;
  const navigate = useNavigate();
  const tenant = useTenant();
  const filter = status === undefined ? {} : { status };
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: tenantKey(tenant, keys.notifications.ruleDeliveries(id, filter)),
    queryFn: ({ pageParam }) =>
      api().notifications.listRuleDeliveries({
        id,
        ...filter,
        limit: 50,
        ...(pageParam !== undefined && { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  });
  const deliveries = data?.pages.flatMap((page) => page.deliveries);
  return (
    <div className="grid min-w-0 gap-2">
      <div className="w-40">
        <Select
          aria-label="Status of the deliveries"
          value={status ?? ''}
          onChange={({ target }) =>
            void navigate({
              to: '.',
              search: (before) => ({ ...before, status: target.value || undefined }),
              replace: true,
            })
          }
        >
          <option value="">All deliveries</option>
          {Object.entries(statuses).map(([one, { label }]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      {!deliveries ? (
        <Loading error={error} className="h-40" />
      ) : deliveries.length === 0 ? (
        <p className="py-4 text-secondary">
          {status === undefined ? 'Nothing yet. What the rule sends appears here.' : 'There is none.'}
        </p>
      ) : (
        <ul>
          {deliveries.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}

function Delivery({ delivery }: { readonly delivery: NotificationRuleDelivery }) {
  const { status, recipient, subject, body, reason, provider, customer_id, event_id, created_at } = delivery;
  const can = useCan()('customers.view');
  const { label, tone } = statuses[status];
  const to = recipient ?? (customer_id === null ? 'Nobody' : 'Customer');
  return (
    <li className="grid gap-1 border-b border-line py-2.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <StatusPill tone={tone}>{provider === 'log' && status === 'sent' ? 'Only logged' : label}</StatusPill>
        {customer_id !== null && can ? (
          <Link
            to="/customers/$id"
            params={{ id: customer_id }}
            className="min-w-0 font-medium break-all hover:underline"
          >
            {to}
          </Link>
        ) : (
          <span className="min-w-0 font-medium break-all">{to}</span>
        )}
        {event_id === null && <span className="text-sm text-secondary">Test</span>}
        <span className="ml-auto text-sm">
          <RelativeTime time={created_at} />
        </span>
      </div>
      {(subject ?? body) !== null && <p className="truncate text-sm text-secondary">{subject ?? body}</p>}
      {reason !== null && (
        <p className={`text-sm break-words ${status === 'failed' ? 'text-error' : 'text-secondary'}`}>{reason}</p>
      )}
    </li>
  );
}
