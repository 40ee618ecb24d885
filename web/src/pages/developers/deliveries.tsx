import type { Webhook, WebhookDelivery } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { deliveryStatuses } from './webhook-status.tsx';

const from = '/shell/developers/webhooks/$id';
const shown = 50;
const pollMs = 2_000;

type Status = WebhookDelivery['status'];

/** The latest deliveries, with what was sent and what was answered. */
export function Deliveries({ webhook: { id, is_active } }: { readonly webhook: Webhook }) {
  const { status, delivery: openId } = useSearch({ from });
  const navigate = useNavigate();
  const refetch = useRefetch();
  const filters = { ...(isStatus(status) && { status }) };
  const { data, error } = useApi(keys.webhooks.deliveryList(id, filters), (client) =>
    client.webhooks.deliveries({ id, ...filters, per_page: shown }),
  );
  const isPending = data?.deliveries.some((one) => one.status === 'pending' && one.attempts === 0) ?? false;
  useEffect(() => {
    // The platform reports no event for it.
    if (!isPending) return;
    const timer = setInterval(() => void refetch(keys.webhooks.deliveries(id)), pollMs);
    return () => clearInterval(timer);
  });
  const show = (next: { status?: string | undefined; delivery?: string | undefined }) =>
    void navigate({ to: '.', search: { status, delivery: openId, ...next }, replace: true });
  return (
    <Section
      title="Deliveries"
      lead="The last 30 days, newest first."
      actions={
        <div className="w-36">
          <Select
            aria-label="Status of the deliveries"
            value={status ?? ''}
            onChange={({ target }) => show({ status: target.value || undefined, delivery: undefined })}
          >
            <option value="">All</option>
            {Object.entries(deliveryStatuses).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </div>
      }
    >
      {!data ? (
        <Loading error={error} className="h-40" />
      ) : data.deliveries.length === 0 ? (
        <p className="border-t border-line pt-3 text-secondary">
          {status ? 'None.' : is_active ? 'None yet. Send a test to see one.' : 'None yet.'}
        </p>
      ) : (
        <ul className="border-t border-line">
          {data.deliveries.map((delivery) => (
            <DeliveryItem
              key={delivery.id}
              webhookId={id}
              delivery={delivery}
              isActive={is_active}
              isOpen={delivery.id === openId}
              onToggle={() => show({ delivery: delivery.id === openId ? undefined : delivery.id })}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

function isStatus(text: string | undefined): text is Status {
  return text !== undefined && text in deliveryStatuses;
}

interface DeliveryItemProps {
  readonly webhookId: string;
  readonly delivery: WebhookDelivery;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function DeliveryItem({ webhookId, delivery, isActive, isOpen, onToggle }: DeliveryItemProps) {
  const { event, status, attempts, response_status, created_at } = delivery;
  const isRetried = status === 'pending' && attempts > 0;
  const { label, tone } = isRetried ? ({ label: 'Retrying', tone: 'warning' } as const) : deliveryStatuses[status];
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-10 w-full items-center gap-3 text-left text-sm hover:bg-sunken max-md:min-h-11"
      >
        <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} className="shrink-0 text-secondary" />
        <span className="min-w-0 flex-1 truncate font-medium">{event}</span>
        {response_status !== null && <span className="numeric text-secondary">{response_status}</span>}
        <StatusPill tone={tone}>{label}</StatusPill>
        <span className="w-24 shrink-0 text-right text-xs max-sm:hidden">
          <RelativeTime time={created_at} />
        </span>
      </button>
      {isOpen && <DeliveryDetails webhookId={webhookId} delivery={delivery} isActive={isActive} />}
    </li>
  );
}

type DeliveryDetailsProps = Omit<DeliveryItemProps, 'isOpen' | 'onToggle'>;

function DeliveryDetails({ webhookId, delivery, isActive }: DeliveryDetailsProps) {
  const { id, status, attempts, next_attempt_at, response_status, response_body, duration_ms, error } = delivery;
  const can = useCan();
  const { data } = useApi(keys.webhooks.delivery(webhookId, id), (client) =>
    client.webhooks.getDelivery({ id: webhookId, delivery: id }),
  );
  const replay = useAction((client) => client.webhooks.redeliver({ id: webhookId, delivery: id }), {
    affects: [keys.webhooks.deliveries(webhookId)],
    done: () => 'Event queued again.',
  });
  const payload = data?.delivery.payload;
  return (
    <div className="grid gap-3 pt-1 pb-4 pl-6 text-sm">
      <p className="text-secondary">
        {attempts === 0 ? 'Not sent yet' : `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`}
        {response_status !== null && `, answered ${response_status}`}
        {duration_ms !== null && ` after ${duration_ms} ms`}
        {next_attempt_at && status === 'pending' && `, next attempt ${exactTime(next_attempt_at)}`}
      </p>
      {error && status !== 'delivered' && <p className="break-words text-error">{error}</p>}
      <div className="grid gap-1">
        <h3 className="text-xs font-medium text-secondary">Payload</h3>
        {payload ? (
          <Code text={prettyJson(payload)} />
        ) : (
          <p className="text-faint">
            {!data
              ? 'Loading…'
              : can('customers.view_sensitive')
                ? 'It is no longer stored: payloads are kept until they are delivered.'
                : 'It is not masked, so it needs the permission customers.view_sensitive.'}
          </p>
        )}
      </div>
      <div className="grid gap-1">
        <h3 className="text-xs font-medium text-secondary">Answer</h3>
        {response_body ? <Code text={response_body} /> : <p className="text-faint">Nothing.</p>}
      </div>
      {delivery.can_redeliver && isActive && (
        <Button className="justify-self-start" isBusy={replay.isPending} onClick={() => replay.mutate(undefined)}>
          Send again
        </Button>
      )}
    </div>
  );
}

function Code({ text }: { readonly text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-control bg-sunken px-3 py-2 font-mono text-xs break-all whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
