import type { CustomerDetail } from '@chowk/client';
import { Mail, Phone, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useCan } from '../../api/use-api.ts';
import { count, money } from '../../format/numbers.ts';
import { CustomerPhone } from '../../people/customer-phone.tsx';
import { type SegmentKey, useSegmentLabels } from '../../people/segments.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Popover } from '../../ui/popover.tsx';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';
import { WriteMenu } from '../conversations/write-menu.tsx';
import { TagPicker } from './tag-picker.tsx';
import { useTagChange, useTagNames } from './tags.ts';

const segmentTones: Readonly<Record<SegmentKey, Tone>> = {
  new: 'info',
  returning: 'neutral',
  loyal: 'success',
  vip: 'success',
  at_risk: 'warning',
  marketing: 'neutral',
};

interface SummaryProps {
  readonly customer: CustomerDetail;
}

/** How to reach the customer, and what they have bought. */
export function CustomerSummary({ customer }: SummaryProps) {
  const { segments, anonymized_at } = customer;
  const labels = useSegmentLabels(segments);
  return (
    <div className="grid min-w-0 gap-4">
      {anonymized_at && <Notice>The personal data of this customer was erased on {exactTime(anonymized_at)}.</Notice>}
      <Contact customer={customer} />
      <div className="flex min-h-5.5 flex-wrap gap-1.5">
        {labels.map(({ key, label }) => (
          <StatusPill key={key} tone={segmentTones[key]}>
            {label}
          </StatusPill>
        ))}
      </div>
      <Figures customer={customer} />
      <TagEditor customer={customer} />
    </div>
  );
}

function Contact({ customer }: SummaryProps) {
  const { id, phone, email } = customer;
  const can = useCan();
  const canReveal = can('customers.edit');
  const isMasked = phone !== null && !can('customers.view_sensitive');
  if (!phone && !email) return <p className="text-secondary">No phone or email.</p>;
  const line = 'inline-flex min-h-8 max-md:min-h-11 min-w-0 items-center gap-2';
  return (
    <div className="grid gap-1">
      <div className="flex items-start justify-between gap-4">
        <div className="flex min-w-0 flex-wrap gap-x-6">
          {phone && (
            <span className={line}>
              <Icon icon={Phone} className="shrink-0 text-secondary" />
              <CustomerPhone key={id} customerId={id} phone={phone} />
            </span>
          )}
          {email && (
            <a href={`mailto:${email}`} className={`${line} underline-offset-4 hover:underline`}>
              <Icon icon={Mail} className="shrink-0 text-secondary" />
              <span className="min-w-0 break-all">{email}</span>
            </a>
          )}
        </div>
        <WriteMenu customer={customer} />
      </div>
      {isMasked && (
        <p className="text-xs text-faint">
          {canReveal
            ? 'The phone is masked. Each time it is shown is recorded. Street addresses need the permission '
            : 'The phone is masked. Whole numbers and street addresses need the permission '}
          <code>customers.view_sensitive</code>.
        </p>
      )}
    </div>
  );
}

function Figures({ customer }: SummaryProps) {
  const { total_orders, total_spent, avg_order_value, currency, last_order_at, other_currencies } = customer;
  return (
    <div className="grid gap-2">
      <dl className="grid grid-cols-2 gap-y-3 border-y border-line py-3 sm:grid-cols-4">
        <Figure label="Orders">{count(total_orders)}</Figure>
        <Figure label="Spent">{currency ? money(total_spent, currency) : '–'}</Figure>
        <Figure label="Average order">{currency ? money(avg_order_value, currency) : '–'}</Figure>
        <Figure label="Last order">
          {last_order_at ? (
            <time dateTime={last_order_at} title={exactTime(last_order_at)}>
              {relativeTime(last_order_at)}
            </time>
          ) : (
            '–'
          )}
        </Figure>
      </dl>
      <p className="text-xs text-faint">
        With pending orders, before refunds
        {other_currencies.length > 0 && `, without the amounts of orders in ${other_currencies.join(', ')}`}.
      </p>
    </div>
  );
}

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-xs text-secondary">{label}</dt>
      <dd className="numeric font-semibold">{children}</dd>
    </div>
  );
}

function TagEditor({ customer: { id, tags } }: SummaryProps) {
  const canEdit = useCan()('customers.edit');
  const change = useTagChange();
  const suggestions = useTagNames();
  const [isOpen, setOpen] = useState(false);
  if (!canEdit && tags.length === 0) return null;
  return (
    <ul aria-label="Tags" className="flex flex-wrap items-center gap-1.5">
      {tags.map((tag) => (
        <li
          key={tag}
          className="inline-flex h-7 max-w-full items-center rounded-control bg-sunken pl-2.5 text-sm max-md:h-11"
        >
          <span className={`truncate ${canEdit ? '' : 'pr-2.5'}`}>{tag}</span>
          {canEdit && (
            <button
              type="button"
              aria-label={`Remove the tag ${tag}`}
              onClick={() => change.mutate({ kind: 'remove', ids: [id], tags: [tag] })}
              className="grid h-full w-7 shrink-0 place-items-center rounded-control text-secondary hover:text-text max-md:w-11"
            >
              <Icon icon={X} size={14} />
            </button>
          )}
        </li>
      ))}
      {canEdit && (
        <li>
          <Popover
            label="Add tags"
            isOpen={isOpen}
            onOpenChange={setOpen}
            trigger={
              <button
                type="button"
                className="inline-flex h-7 items-center gap-1 rounded-control border border-dashed border-edge/70 px-2.5 text-sm text-secondary hover:text-text max-md:h-11"
              >
                <Icon icon={Plus} size={14} />
                Add tags
              </button>
            }
          >
            <TagPicker
              suggestions={suggestions.filter((tag) => !tags.includes(tag))}
              labelFor={() => 'Add'}
              isBusy={change.isPending}
              onSubmit={(added) =>
                change.mutate({ kind: 'add', ids: [id], tags: added }, { onSuccess: () => setOpen(false) })
              }
            />
          </Popover>
        </li>
      )}
    </ul>
  );
}
