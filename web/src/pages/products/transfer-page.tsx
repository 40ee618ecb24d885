import { productsLimits, type StockLocation } from '@chowk/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowRight, Store } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { forgetSubmission, submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { count } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useLocations } from './stock-levels.ts';
import { hasUnits, productRows, quantityProblem, toTransfer, useTransferDraft, withRows } from './transfer-draft.ts';
import { TransferRows } from './transfer-rows.tsx';

/** Moves units from one stock location to another. */
export function TransferPage() {
  return (
    <Needs permission="products.edit">
      <Page title="Move stock" isNarrow>
        <Transfer />
      </Page>
    </Needs>
  );
}

function Transfer() {
  const locations = useLocations();
  if (locations.length === 0) return <Skeleton className="h-48 w-full" />;
  if (locations.length > 1) return <TransferForm locations={locations} />;
  const add = (
    <Link to="/products/locations" className="font-medium text-accent underline underline-offset-4">
      Add a location
    </Link>
  );
  return (
    <EmptyState icon={Store} title="There is only one stock location" action={add}>
      With a second one, such as a warehouse, you can move units between them.
    </EmptyState>
  );
}

const name = 'stock-transfer';

function TransferForm({ locations }: { readonly locations: readonly StockLocation[] }) {
  const { product: id } = useSearch({ from: '/shell/products/transfer' });
  const { data } = useApi(
    keys.products.detail(id ?? ''),
    (client) => client.products.get({ id: id as string }),
    id !== undefined,
  );
  const navigate = useNavigate();
  const refetch = useRefetch();
  const [draft, setDraft] = useTransferDraft();
  const [wasStored] = useState(draft.rows.some(hasUnits));
  const [from, to] = chooseLocations(locations, draft.from, draft.to);
  const ofProduct = data ? productRows(data.product) : [];
  const rows = withRows(draft.rows, ofProduct);
  const moved = rows.filter(hasUnits);
  const canMove = moved.length > 0 && moved.every((row) => quantityProblem(row) === undefined);
  const change = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes });
  const clear = () => {
    setDraft(undefined);
    forgetSubmission(name);
  };
  const form = useForm<{ from_location_id: string; to_location_id: string; reference: string }>(async () => {
    await submit(name, api().products.transferStock, toTransfer({ ...draft, rows }, from, to));
    const place = locations.find((location) => location.id === to)?.name;
    const units = moved.reduce((sum, { quantity }) => sum + Number(quantity), 0);
    toast(`${units === 1 ? '1 unit is' : `${count(units)} units are`} now at ${place}.`);
    clear();
    await navigate(id ? { to: '/products/$id', params: { id } } : { to: '/products' });
    await refetch(keys.products.all);
  });
  const place = (field: 'from' | 'to', label: string, value: string) => (
    <Field label={label} {...form.field(`${field}_location_id`)}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => change({ from, to, [field]: target.value })}>
          {locations.map((location) => (
            <option key={location.id} value={location.id}>
              {location.name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
  return (
    <form {...form.props} data-own-draft className="grid min-w-0 gap-6">
      {wasStored && moved.length > 0 && <RestoredNotice onDiscard={clear} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <div className="grid grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)] items-start gap-3">
        {place('from', 'From', from)}
        <Icon icon={ArrowRight} className="mt-9 text-faint" />
        {place('to', 'To', to)}
      </div>
      <TransferRows
        rows={rows}
        from={from}
        kept={ofProduct.map(({ variantId }) => variantId)}
        onChange={(next) => change({ rows: next })}
      />
      <Field label="Reference" {...form.field('reference')} help="Such as a delivery note. Optional.">
        {(control) => (
          <Input
            {...control}
            maxLength={productsLimits.transferStock.reference}
            autoComplete="off"
            value={draft.reference}
            onChange={({ target }) => change({ reference: target.value })}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="primary"
        className="justify-self-start max-md:justify-self-stretch"
        isBusy={form.isBusy}
        disabled={!canMove}
      >
        Move units
      </Button>
    </form>
  );
}

/** From the first location to the second, until others are chosen. Choosing the same one swaps them. */
function chooseLocations(
  locations: readonly StockLocation[],
  from: string,
  to: string,
): readonly [from: string, to: string] {
  const ids = locations.map(({ id }) => id);
  const first = ids.includes(from) ? from : (ids.find((id) => id !== to) ?? '');
  const second = ids.includes(to) && to !== first ? to : (ids.find((id) => id !== first) ?? '');
  return [first, second];
}
