import type { CustomerDetail } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { ReadError } from '../../ui/read-error.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { statuses } from '../conversations/conversation-list.ts';

/** The conversations with the customer, the last one first. */
export function Conversations({ customer: { id } }: { readonly customer: CustomerDetail }) {
  const { data, error } = useApi(keys.customers.conversations(id), (client) =>
    client.conversations.list({ customer_id: id, per_page: 100 }),
  );
  if (!data && error) return <ReadError error={error} />;
  if (!data) return <Skeleton className="h-40 w-full" />;
  if (data.conversations.length === 0) return <p className="py-4 text-secondary">No conversations yet.</p>;
  return (
    <ul className="grid min-w-0">
      {data.conversations.map(({ id, subject, status, last_message, last_message_at }) => (
        <li key={id} className="grid min-w-0 gap-0.5 border-b border-line py-2.5 first:pt-0">
          <div className="flex min-w-0 items-center gap-3">
            <Link to="/conversations/$id" params={{ id }} className="min-w-0 truncate font-medium hover:underline">
              {subject || 'No subject'}
            </Link>
            <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>
            <span className="ml-auto text-sm">
              <RelativeTime time={last_message_at} />
            </span>
          </div>
          {last_message && <p className="truncate text-sm text-secondary">{last_message.excerpt}</p>}
        </li>
      ))}
    </ul>
  );
}
