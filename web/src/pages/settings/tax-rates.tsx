import type { TaxRate } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { countryName } from '../../address/region.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { useStates } from './states.tsx';
import type { EditedRate } from './tax-example.ts';
import { TaxRateForm } from './tax-rate-form.tsx';
import { percent } from './tax-rate-text.ts';

interface TaxRatesProps {
  readonly rates: readonly TaxRate[];
  /** That of the shop. */
  readonly country: string;
  readonly onEdited: (rate: EditedRate | undefined) => void;
}

/** All rates, by country; the form of one is in its place. */
export function TaxRates({ rates, country, onEdited }: TaxRatesProps) {
  const canEdit = useCan()('settings.edit');
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  const navigate = useNavigate();
  const open = canEdit ? edit : undefined;
  const button = useReturnFocus(open === 'new');
  const show = (id: string | undefined) => {
    onEdited(undefined);
    void navigate({ to: '.', search: id === undefined ? {} : { edit: id }, replace: true });
  };
  const form = (rate?: TaxRate) => (
    <TaxRateForm
      key={rate?.id ?? 'new'}
      rate={rate}
      country={country}
      classes={[...new Set(['standard', ...rates.map(({ tax_class }) => tax_class)])]}
      onEdited={onEdited}
      onClose={() => show(undefined)}
    />
  );
  const add = canEdit && open !== 'new' && (
    <Button ref={button} onClick={() => show('new')}>
      <Icon icon={Plus} />
      Add rate
    </Button>
  );
  return (
    <Section title="Rates" lead="All rates that match the address of an order are added up." actions={add}>
      {open === 'new' && form()}
      {rates.length === 0 && open !== 'new' && (
        <p className="border-t border-line pt-3 text-secondary">No rates yet: orders are not taxed.</p>
      )}
      {groupRates(rates).map(([title, group]) => (
        <section key={title} aria-label={title} className="mt-2 grid gap-1.5">
          <h3 className="text-xs font-medium text-secondary">{title}</h3>
          <ul className="border-t border-line">
            {group.map((rate) =>
              open === rate.id ? (
                <li key={rate.id} className="border-b border-line py-3">
                  {form(rate)}
                </li>
              ) : (
                <RateRow key={rate.id} rate={rate} canEdit={canEdit} onEdit={() => show(rate.id)} />
              ),
            )}
          </ul>
        </section>
      ))}
    </Section>
  );
}

/** By country and class: the standard one first, and those in use before the others. */
function groupRates(rates: readonly TaxRate[]): readonly (readonly [title: string, rates: readonly TaxRate[]])[] {
  const sorted = [...rates].sort((one, other) => compare(rateOrder(one), rateOrder(other)));
  const title = ({ country, tax_class }: TaxRate) =>
    `${countryName(country)}: ${tax_class === 'standard' ? 'standard rates' : `class ${tax_class}`}`;
  return [...Map.groupBy(sorted, title)];
}

/** Rates for a state come before those for the rest of the country. */
function rateOrder({ country, is_active, tax_class, state, priority, name }: TaxRate): readonly string[] {
  const isStandard = tax_class === 'standard';
  return [
    countryName(country),
    isStandard ? '0' : '1',
    is_active ? '0' : '1',
    tax_class,
    state ?? '\uffff',
    String(priority),
    name,
  ];
}

function compare(one: readonly string[], other: readonly string[]): number {
  const differing = one.findIndex((part, index) => part !== other[index]);
  return differing < 0 ? 0 : (one[differing] ?? '').localeCompare(other[differing] ?? '', 'en', { numeric: true });
}

interface RateRowProps {
  readonly rate: TaxRate;
  readonly canEdit: boolean;
  readonly onEdit: () => void;
}

function RateRow({ rate, canEdit, onEdit }: RateRowProps) {
  const { name, country, state, priority, includes_shipping, is_active } = rate;
  const states = useStates().find(country);
  const place = state === null ? countryName(country) : (states.find(([code]) => code === state)?.[1] ?? state);
  const notes = [place, priority !== 1 && `priority ${priority}`, !includes_shipping && 'not on shipping'];
  const label = `${name}, ${place}`;
  return (
    <li className="flex min-h-11 items-center gap-3 border-b border-line">
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 py-1">
        <span className={`font-medium break-words ${is_active ? '' : 'text-secondary'}`}>{name}</span>
        <span className="text-sm text-secondary">{notes.filter(Boolean).join(' · ')}</span>
        {!is_active && <StatusPill>Off</StatusPill>}
      </span>
      <span className="numeric shrink-0">{percent(rate.rate)}</span>
      {canEdit && (
        <span className="-mr-2 flex shrink-0">
          <IconButton label={`Edit ${label}`} onClick={onEdit}>
            <Icon icon={Pencil} />
          </IconButton>
          <DeleteRate rate={rate} label={label} />
        </span>
      )}
    </li>
  );
}

/** Without a question, because it can be undone. */
function DeleteRate({ rate, label }: { readonly rate: TaxRate; readonly label: string }) {
  const { id, created_at: _, updated_at: __, ...fields } = rate;
  const restore = useAction((client) => client.pricing.createTaxRate(fields), {
    affects: [keys.pricing.taxRates],
    done: () => `${rate.name} restored.`,
  });
  const remove = useAction((client) => client.pricing.deleteTaxRate({ id }), { affects: [keys.pricing.taxRates] });
  return (
    <IconButton
      label={`Delete ${label}`}
      onClick={() =>
        remove.mutate(undefined, {
          onSuccess: () =>
            toast(`${rate.name} deleted. Orders keep their taxes.`, {
              label: 'Undo',
              run: () => restore.mutate(undefined),
            }),
        })
      }
    >
      <Icon icon={Trash2} />
    </IconButton>
  );
}
