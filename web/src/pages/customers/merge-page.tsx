import type { CustomerDetail, CustomerMergePreview, CustomerRecord } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { affectedByCustomerRemoval } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { count, money } from '../../format/numbers.ts';
import { formatPhone } from '../../format/phone.ts';
import { customerName } from '../../people/customer-name.ts';
import { CustomerSearch } from '../../people/customer-search.tsx';
import { Needs } from '../../shell/needs.tsx';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { rowsText } from './row-counts.ts';

const from = '/shell/customers/merge';

/** Two records of the same person become one. */
export function MergePage() {
  return (
    <Page title="Merge customers">
      <Needs permission="customers.merge">
        <Merge />
      </Needs>
    </Page>
  );
}

function Merge() {
  const { primary, secondary } = useSearch({ from });
  const navigate = useNavigate();
  const choose = (search: { primary?: string; secondary?: string }) =>
    void navigate({ to: '/customers/merge', search, replace: true });
  if (primary === undefined || secondary === undefined) {
    const known = primary ?? secondary;
    return (
      <ChooseOther
        known={known}
        onChoose={(id) => choose(known ? { primary: known, secondary: id } : { primary: id })}
      />
    );
  }
  return (
    <Comparison
      primaryId={primary}
      secondaryId={secondary}
      onSwap={() => choose({ primary: secondary, secondary: primary })}
    />
  );
}

interface ChooseOtherProps {
  readonly known: string | undefined;
  readonly onChoose: (id: string) => void;
}

function ChooseOther({ known, onChoose }: ChooseOtherProps) {
  const { data } = useApi(
    keys.customers.detail(known),
    (client) => client.customers.get({ id: known as string }),
    known !== undefined,
  );
  return (
    <Section
      title={data ? `Merge ${customerName(data.customer)} with` : 'Choose two customers'}
      lead="Search for the other record of the same person."
    >
      <div className="max-w-xl">
        <CustomerSearch label="Search customers" except={known} onChoose={onChoose} />
      </div>
    </Section>
  );
}

interface ComparisonProps {
  readonly primaryId: string;
  readonly secondaryId: string;
  readonly onSwap: () => void;
}

function Comparison({ primaryId, secondaryId, onSwap }: ComparisonProps) {
  const navigate = useNavigate();
  const primary = useApi(keys.customers.detail(primaryId), (client) => client.customers.get({ id: primaryId }));
  const secondary = useApi(keys.customers.detail(secondaryId), (client) => client.customers.get({ id: secondaryId }));
  const pair = { primary_id: primaryId, secondary_id: secondaryId };
  const preview = useApi(keys.customers.mergePreview(pair), (client) => client.customers.previewMerge(pair));
  const refetch = useRefetch();
  const merge = useAction((client) => client.customers.merge(pair), {
    affects: [],
    done: ({ customer }) => `Merged into ${customerName(customer)}.`,
  });
  const error = [primary, secondary, preview].find(({ data, error }) => error && !data)?.error;
  if (error) return <ReadError error={error} />;
  if (!primary.data || !secondary.data || !preview.data) return <Skeleton className="h-96 w-full" />;
  const [kept, removed] = [primary.data.customer, secondary.data.customer];
  return (
    <div className="grid min-w-0 gap-8">
      <Fields kept={kept} removed={removed} preview={preview.data} onSwap={onSwap} />
      <Section title="What moves" lead={`From ${customerName(removed)} to ${customerName(kept)}.`}>
        {preview.data.moved.length === 0 ? (
          <p className="text-secondary">Nothing: there are no orders, addresses or conversations to move.</p>
        ) : (
          <ul className="flex flex-wrap gap-x-6 gap-y-1">
            {preview.data.moved.map((one) => (
              <li key={one.module + one.table}>{rowsText(one)}</li>
            ))}
          </ul>
        )}
      </Section>
      <div className="grid gap-3">
        <Notice tone="warning">
          The {removed.created_at < kept.created_at ? 'older' : 'newer'} record, {customerName(removed)}, is deleted.
          This cannot be undone.
        </Notice>
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            isBusy={merge.isPending}
            onClick={() =>
              merge.mutate(undefined, {
                // Leaves the page before it reads a customer that is gone.
                onSuccess: () =>
                  void navigate({ to: '/customers/$id', params: { id: primaryId }, replace: true }).then(() =>
                    refetch(...affectedByCustomerRemoval),
                  ),
              })
            }
          >
            Merge customers
          </Button>
          <Button onClick={() => void navigate({ to: '/customers' })}>Cancel</Button>
        </div>
      </div>
    </div>
  );
}

const fields: readonly {
  readonly label: string;
  /** The fields of the API, to see whether they change. */
  readonly names: readonly string[];
  readonly value: (customer: CustomerRecord | CustomerDetail) => ReactNode;
}[] = [
  { label: 'Name', names: ['first_name', 'last_name'], value: customerName },
  { label: 'Phone', names: ['phone'], value: ({ phone }) => phone && formatPhone(phone) },
  { label: 'Email', names: ['email'], value: ({ email }) => email },
  { label: 'Tags', names: ['tags'], value: ({ tags }) => tags.join(', ') },
  { label: 'Notes', names: ['notes'], value: ({ notes }) => notes },
  {
    label: 'On other platforms',
    names: ['external_ids'],
    value: ({ external_ids }) =>
      Object.entries(external_ids)
        .map(([platform, id]) => `${platform} ${id}`)
        .join(', '),
  },
  { label: 'Orders', names: ['total_orders'], value: ({ total_orders }) => count(total_orders) },
  {
    label: 'Spent',
    names: ['total_spent'],
    value: ({ total_spent, currency }) => currency && money(total_spent, currency),
  },
  { label: 'Created', names: [], value: ({ created_at }) => exactTime(created_at) },
];

interface FieldsProps {
  readonly kept: CustomerDetail;
  readonly removed: CustomerDetail;
  readonly preview: CustomerMergePreview;
  readonly onSwap: () => void;
}

/** Side by side on wide screens, one below the other on a phone. */
function Fields({ kept, removed, preview, onSwap }: FieldsProps) {
  // The order stays when the user chooses the other one.
  const [left, right] = [kept, removed].toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1)) as [
    CustomerDetail,
    CustomerDetail,
  ];
  const columns = 'grid gap-x-6 gap-y-1 md:grid-cols-[8rem_minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)]';
  return (
    <div className="grid min-w-0">
      <fieldset className={`${columns} border-b border-line pb-3`}>
        <legend className="sr-only">Which record is kept</legend>
        <span className="max-md:hidden" />
        {[left, right].map((one, index) => (
          <label key={one.id} className="flex min-h-8 min-w-0 items-center gap-2.5 max-md:min-h-11">
            <input
              type="radio"
              name="kept"
              checked={one.id === kept.id}
              onChange={onSwap}
              className="size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0 truncate font-medium">Keep {index === 0 ? 'the older' : 'the newer'} record</span>
          </label>
        ))}
        <span className="flex items-center font-medium max-md:hidden">After the merge</span>
      </fieldset>
      <dl>
        {fields.map(({ label, names, value }) => (
          <div key={label} className={`${columns} border-b border-line py-2.5`}>
            <dt className="text-sm text-secondary">{label}</dt>
            <Value heading="Older">{value(left)}</Value>
            <Value heading="Newer">{value(right)}</Value>
            <Value heading="After" isResult isChanged={names.some((name) => preview.changed.includes(name))}>
              {value(preview.customer)}
            </Value>
          </div>
        ))}
      </dl>
      {preview.changed.length > 0 && (
        <p className="pt-2 text-xs text-faint">Highlighted values come from the other record.</p>
      )}
    </div>
  );
}

interface ValueProps {
  /** On a phone. */
  readonly heading: string;
  readonly isResult?: boolean;
  readonly isChanged?: boolean;
  readonly children: ReactNode;
}

function Value({ heading, isResult = false, isChanged = false, children }: ValueProps) {
  const style = isResult ? 'font-medium' : '';
  return (
    <dd className={`grid min-w-0 grid-cols-[4rem_minmax(0,1fr)] gap-2 md:block ${style}`}>
      <span className="text-xs leading-5 text-faint md:hidden">{heading}</span>
      <span className={`break-words whitespace-pre-wrap ${isChanged ? 'text-accent-strong' : ''}`}>
        {children || <span className="text-faint">–</span>}
      </span>
    </dd>
  );
}
