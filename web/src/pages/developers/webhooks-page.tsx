import type { Webhook } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate } from '@tanstack/react-router';
import { Plus, Zap } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { DevelopersLayout } from './developers-layout.tsx';
import { WebhookStatus, webhookName } from './webhook-status.tsx';

/** Addresses that get a request for each event, and the one that is open beside them. */
export function WebhooksPage() {
  const hasDetail = useChildMatches().length > 0;
  return (
    <DevelopersLayout tab="/developers/webhooks" actions={<NewWebhookButton />} detail={hasDetail && <Outlet />}>
      <Webhooks />
    </DevelopersLayout>
  );
}

/** Payloads are not masked, so those who see masked phones cannot create one. */
function NewWebhookButton() {
  const can = useCan();
  const canCreate = can('settings.api_clients') && can('customers.view_sensitive');
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/developers/webhooks/new' });
  useKeys(canCreate ? [{ key: 'n', label: 'New webhook', run: create }] : []);
  if (!canCreate) return null;
  return (
    <Button variant="primary" onClick={create}>
      <Icon icon={Plus} strokeWidth={1.75} />
      New webhook
    </Button>
  );
}

function Webhooks() {
  const { data, error } = useApi(keys.webhooks.list, (client) => client.webhooks.list({ per_page: 100 }));
  if (!data) return <Loading error={error} className="mt-4 h-40" />;
  if (data.webhooks.length === 0) {
    return (
      <EmptyState icon={Zap} title="No webhooks yet">
        A server of yours can hear of every order, customer and message at once, signed, and again until it answers.
      </EmptyState>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pt-3 pb-12">
      <Table caption="Webhooks">
        <thead>
          <tr>
            <HeaderCell>Webhook</HeaderCell>
            <HeaderCell className="max-md:hidden">Events</HeaderCell>
            <HeaderCell>Status</HeaderCell>
            <HeaderCell isNumber className="max-md:hidden">
              Last delivered
            </HeaderCell>
          </tr>
        </thead>
        <tbody>
          {data.webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </tbody>
      </Table>
    </div>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, events, last_delivered_at } = webhook;
  return (
    <tr>
      <Cell className="max-w-72 py-1.5">
        <Link to="/developers/webhooks/$id" params={{ id }} className="block truncate font-medium hover:underline">
          {webhookName(webhook)}
        </Link>
        <span className="block truncate text-xs text-faint">{url}</span>
      </Cell>
      <Cell className="max-w-64 truncate text-secondary max-md:hidden">
        {events.includes('*') ? 'All events' : events.join(', ')}
      </Cell>
      <Cell>
        <WebhookStatus webhook={webhook} />
      </Cell>
      <Cell isNumber className="max-md:hidden">
        {last_delivered_at ? <RelativeTime time={last_delivered_at} /> : <span className="text-faint">Never</span>}
      </Cell>
    </tr>
  );
}
