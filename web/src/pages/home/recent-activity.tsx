import type { AuditEntry } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useMemberName } from '../../people/member-name.ts';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

/** What a user did, by action of the API. Others are in the audit log. */
const sentences: Readonly<Record<string, string>> = {
  'orders.create': 'created an order',
  'orders.update': 'changed an order',
  'orders.updateStatus': 'changed the status of an order',
  'orders.cancel': 'cancelled an order',
  'orders.refund': 'refunded an order',
  'orders.delete': 'deleted an order',
  'orders.export': 'exported orders',
  'customers.create': 'added a customer',
  'customers.update': 'changed a customer',
  'customers.merge': 'merged two customers',
  'customers.delete': 'deleted a customer',
  'customers.export': 'exported customers',
  'products.create': 'added a product',
  'products.update': 'changed a product',
  'products.changeStock': 'changed the stock of a product',
  'products.import': 'imported products',
  'products.delete': 'deleted a product',
  'conversations.create': 'started a conversation',
  'conversations.reply': 'answered a customer',
  'conversations.close': 'closed a conversation',
  'conversations.assign': 'assigned a conversation',
  'settings.update': 'changed settings',
  'invitations.create': 'invited a colleague',
};
const shown = 7;

export function RecentActivity() {
  const { data, error } = useApi(keys.orders.activity, (client) => client.audit.list({ outcome: 'ok', per_page: 50 }));
  const memberName = useMemberName();
  const entries = data?.audit.filter(({ action, user_id }) => action in sentences && user_id !== null).slice(0, shown);
  if (entries?.length === 0) return null;
  return (
    <Section title="Recent activity">
      {entries ? (
        <ol className="grid gap-2.5">
          {entries.map((entry) => (
            <li key={entry.id} className="grid grid-cols-[1fr_auto] items-baseline gap-3 text-sm">
              <span className="min-w-0 break-words">
                <span className="inline-block font-medium first-letter:uppercase">
                  {memberName(entry.user_id) ?? 'Someone'}
                </span>{' '}
                <ActivityText entry={entry} />
              </span>
              <span className="text-xs">
                <RelativeTime time={entry.at} />
              </span>
            </li>
          ))}
        </ol>
      ) : (
        <Loading error={error} className="h-40" />
      )}
    </Section>
  );
}

function ActivityText({ entry: { action, resource, resource_id } }: { readonly entry: AuditEntry }) {
  const can = useCan();
  const text = sentences[action];
  const style = 'text-secondary underline-offset-4 hover:underline';
  if (resource_id !== null && !action.endsWith('.delete')) {
    if (resource === 'orders' && can('orders.view')) {
      return (
        <Link to="/orders/$id" params={{ id: resource_id }} className={style}>
          {text}
        </Link>
      );
    }
    if (resource === 'customers' && can('customers.view')) {
      return (
        <Link to="/customers/$id" params={{ id: resource_id }} className={style}>
          {text}
        </Link>
      );
    }
  }
  return <span className="text-secondary">{text}</span>;
}
