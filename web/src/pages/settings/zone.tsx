import type { ShippingRate, ShippingZone } from '@chowk/client';
import { Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan, useMe } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { describeRegions } from './regions.ts';
import { ShippingRateForm } from './shipping-rate-form.tsx';
import { describeRate } from './shipping-rate-text.ts';
import { useStates } from './states.tsx';
import { ZoneForm } from './zone-form.tsx';

interface ZoneProps {
  readonly zone: ShippingZone;
  readonly rates: readonly ShippingRate[];
  /** The id of what is edited: a zone, a rate, or `rate.` and the zone of a new rate. */
  readonly edit: string | undefined;
  readonly onEdit: (id: string | undefined) => void;
}

/** Where it is, and its rates. */
export function Zone({ zone, rates, edit, onEdit }: ZoneProps) {
  const canEdit = useCan()('settings.edit');
  const { find: states } = useStates();
  const close = () => onEdit(undefined);
  const newRate = `rate.${zone.id}`;
  const places = [...describeRegions(zone.regions, states), ...(zone.rest_of_world ? ['Rest of the world'] : [])];
  if (edit === zone.id) return <ZoneForm zone={zone} onClose={close} />;
  return (
    <section aria-label={zone.name} className="grid gap-2">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-0.5">
          <h2 className="font-semibold break-words">{zone.name}</h2>
          <p className="text-sm break-words text-secondary">{places.join(' · ')}</p>
        </div>
        {canEdit && <ZoneMenu zone={zone} rates={rates} onEdit={() => onEdit(zone.id)} />}
      </div>
      {rates.length === 0 && edit !== newRate && (
        <p className="border-t border-line pt-3 text-sm text-warning">
          No rates: no delivery is offered to addresses in this zone.
        </p>
      )}
      <ul className="border-t border-line empty:hidden">
        {[...rates]
          .sort((one, other) => Number(one.price) - Number(other.price))
          .map((rate) =>
            edit === rate.id ? (
              <li key={rate.id} className="border-b border-line py-3">
                <ShippingRateForm zoneId={zone.id} rate={rate} onClose={close} />
              </li>
            ) : (
              <RateRow key={rate.id} rate={rate} canEdit={canEdit} onEdit={() => onEdit(rate.id)} />
            ),
          )}
      </ul>
      {edit === newRate && <ShippingRateForm zoneId={zone.id} rate={undefined} onClose={close} />}
      {canEdit && edit !== newRate && (
        <Button variant="quiet" className="-ml-3.5 justify-self-start" onClick={() => onEdit(newRate)}>
          <Icon icon={Plus} />
          Add rate
        </Button>
      )}
    </section>
  );
}

interface RateRowProps {
  readonly rate: ShippingRate;
  readonly canEdit: boolean;
  readonly onEdit: () => void;
}

function RateRow({ rate, canEdit, onEdit }: RateRowProps) {
  const currency = useMe().data?.currency ?? 'INR';
  const format = (amount: string) => money(amount, currency);
  const condition = describeRate(rate, format);
  const { name, price, is_active } = rate;
  return (
    <li className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <span className={`grid min-w-0 flex-1 ${is_active ? '' : 'text-secondary'}`}>
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium break-words">{name}</span>
          {!is_active && <StatusPill>Off</StatusPill>}
        </span>
        {condition !== '' && <span className="text-sm text-secondary">{condition}</span>}
      </span>
      <span className="numeric shrink-0">{Number(price) === 0 ? 'Free' : format(price)}</span>
      {canEdit && (
        <span className="-mr-2 flex shrink-0">
          <IconButton label={`Edit ${name}`} onClick={onEdit}>
            <Icon icon={Pencil} />
          </IconButton>
          <DeleteRate rate={rate} />
        </span>
      )}
    </li>
  );
}

/** Without a question, because it can be undone. */
function DeleteRate({ rate }: { readonly rate: ShippingRate }) {
  const { id, created_at: _, updated_at: __, ...fields } = rate;
  const affects = [keys.pricing.shipping];
  const restore = useAction((client) => client.pricing.createShippingRate(fields), {
    affects,
    done: () => `${rate.name} restored.`,
  });
  const remove = useAction((client) => client.pricing.deleteShippingRate({ id }), { affects });
  const undo = { label: 'Undo', run: () => restore.mutate(undefined) };
  return (
    <IconButton
      label={`Delete ${rate.name}`}
      onClick={() => remove.mutate(undefined, { onSuccess: () => toast(`${rate.name} deleted.`, undo) })}
    >
      <Icon icon={Trash2} />
    </IconButton>
  );
}

type ZoneMenuProps = Pick<ZoneProps, 'zone' | 'rates'> & { readonly onEdit: () => void };

function ZoneMenu({ zone: { id, name }, rates, onEdit }: ZoneMenuProps) {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction((client) => client.pricing.deleteShippingZone({ id }), {
    affects: [keys.pricing.shipping],
    done: () => `${name} deleted.`,
  });
  const lost = rates.length === 0 ? '' : rates.length === 1 ? ' with its rate' : ` with its ${rates.length} rates`;
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions for ${name}`} className="-mr-2">
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        <MenuItem icon={Pencil} onSelect={onEdit}>
          Edit zone
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} onSelect={() => setAsking(true)}>
          Delete zone
        </MenuItem>
      </Menu>
      <ConfirmDialog
        title="Delete this zone?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete zone"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        <strong className="font-semibold text-text">{name}</strong> is deleted{lost}. Delivery to its addresses is then
        offered only by other zones. Orders keep their shipping. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
