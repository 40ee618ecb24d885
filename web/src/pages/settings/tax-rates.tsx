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
      {rates.length > 0 && (
        <ul className="border-t border-line">
          {[...rates].sort(compare).map((rate) =>
            open === rate.id ? (
              <li key={rate.id} className="border-b border-line py-3">
                {form(rate)}
              </li>
            ) : (
              <RateRow key={rate.id} rate={rate} canEdit={canEdit} onEdit={() => show(rate.id)} />
            ),
          )}
        </ul>
      )}
    </Section>
  );
}

/** By country, those in use first; rates for a state before those for the rest of the country. */
function compare(one: TaxRate, other: TaxRate): number {
  const order = ({ country, is_active, tax_class, state, priority, name }: TaxRate) =>
    [country, is_active ? 0 : 1, tax_class === 'standard' ? '' : tax_class, state ?? '\uffff', priority, name].join(
      '\n',
    );
  return order(one).localeCompare(order(other));
}

interface RateRowProps {
  readonly rate: TaxRate;
  readonly canEdit: boolean;
  readonly onEdit: () => void;
}

function RateRow({ rate, canEdit, onEdit }: RateRowProps) {
  const { name, country, state, tax_class, priority, includes_shipping, is_active } = rate;
  const states = useStates()(country);
  const stateName = state && (states.find(([code]) => code === state)?.[1] ?? state);
  const notes = [
    tax_class !== 'standard' && `class ${tax_class}`,
    priority !== 1 && `priority ${priority}`,
    !includes_shipping && 'not on shipping',
  ].filter(Boolean);
  const label = `${name}, ${stateName ?? countryName(country)}`;
  return (
    <li className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <span className={`grid min-w-0 flex-1 ${is_active ? '' : 'text-secondary'}`}>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="font-medium break-words">{name}</span>
          {!is_active && <StatusPill>Off</StatusPill>}
        </span>
        <span className="text-sm text-secondary">
          {[stateName ? `${stateName}, ${countryName(country)}` : countryName(country), ...notes].join(' · ')}
        </span>
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
    done: () => `${rate.name} is back.`,
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
