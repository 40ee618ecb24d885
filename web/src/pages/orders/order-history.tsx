import type { OrderDetails, OrderHistoryEntry } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useMemberName } from '../../people/member-name.ts';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { historyText } from './history-text.ts';
import { type Status, statuses } from './status.ts';

const dots = {
  neutral: 'bg-edge',
  info: 'bg-info',
  success: 'bg-success',
  warning: 'bg-warning',
  error: 'bg-error',
};

interface Line {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  readonly reason: string | null;
  readonly userId: number | null;
  readonly status: Status | undefined;
}

/** Everything that has happened to the order, the latest first. */
export function OrderHistory({ order }: { readonly order: OrderDetails }) {
  const memberName = useMemberName();
  // Of those at the same time, the later one first.
  const entries = order.history.map((entry) => describeEntry(entry, order)).reverse();
  const lines = [...entries, ...useOtherChanges(order.id)];
  return (
    <Section title="History">
      <ol className="grid gap-4">
        {lines
          .sort((one, other) => other.at.localeCompare(one.at))
          .map(({ id, at, text, reason, userId, status }) => (
            <li key={id} className="grid grid-cols-[8px_1fr_auto] items-baseline gap-x-3">
              <span className={`size-2 rounded-full ${dots[status ? statuses[status].tone : 'neutral']}`} aria-hidden />
              <span className="min-w-0 break-words">
                {text} <span className="text-secondary">{memberName(userId) && `by ${memberName(userId)}`}</span>
              </span>
              <span className="text-xs">
                <RelativeTime time={at} />
              </span>
              {reason && <span className="col-start-2 col-end-4 break-words text-secondary">{reason}</span>}
            </li>
          ))}
      </ol>
    </Section>
  );
}

function describeEntry(entry: OrderHistoryEntry, order: OrderDetails): Line {
  const { id, at, status, previous_status, reason, user_id } = entry;
  const isChange = previous_status !== null && previous_status !== status;
  const text = historyText(entry, order);
  return { id, at, text, reason, userId: user_id, status: isChange ? status : undefined };
}

/** Changes of note and address, which only the audit log has. */
function useOtherChanges(id: string): readonly Line[] {
  const can = useCan();
  const query = { resource: 'orders', resource_id: id, action: 'orders.update', outcome: 'ok', per_page: 100 } as const;
  const { data } = useApi(keys.orders.audit(id), (client) => client.audit.list(query), can('audit.view'));
  return (data?.audit ?? []).flatMap(({ id: key, at, user_id, changes }) => {
    const fields = Object.keys(changes ?? {});
    const texts = [fields.includes('note') && 'Note changed', fields.includes('shipping_address') && 'Address changed'];
    const text = texts.filter(Boolean).join(', ');
    return text === '' ? [] : [{ id: key, at, text, reason: null, userId: user_id, status: undefined }];
  });
}
