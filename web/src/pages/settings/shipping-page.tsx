import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Truck } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ShippingTester } from './shipping-tester.tsx';
import { useStates } from './states.tsx';
import { Zone } from './zone.tsx';
import { ZoneForm } from './zone-form.tsx';

export function ShippingPage() {
  const can = useCan();
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  const navigate = useNavigate();
  const show = (id: string | undefined) =>
    void navigate({ to: '.', search: id === undefined ? {} : { edit: id }, replace: true });
  const zones = useApi(keys.pricing.shippingZones, (client) => Array.fromAsync(client.pricing.listShippingZones.all()));
  const rates = useApi(keys.pricing.shippingRates, (client) => Array.fromAsync(client.pricing.listShippingRates.all()));
  const { areKnown } = useStates();
  const isNew = can('settings.edit') && edit === 'new';
  const button = useReturnFocus(isNew);
  if (!zones.data || !rates.data || !areKnown) {
    return <Loading error={zones.error ?? rates.error} className="h-96" />;
  }
  const add = can('settings.edit') && !isNew && (
    <Button ref={button} variant={zones.data.length === 0 ? 'primary' : 'secondary'} onClick={() => show('new')}>
      <Icon icon={Plus} />
      Add zone
    </Button>
  );
  return (
    <div className="grid gap-8">
      {zones.data.length === 0 && !isNew && (
        <EmptyState icon={Truck} title="No shipping zones yet" action={add}>
          A zone is where you deliver to: some states, countries, or the rest of the world. It has the rates that
          customers can choose from.
        </EmptyState>
      )}
      {[...zones.data]
        .sort(
          (one, other) => Number(one.rest_of_world) - Number(other.rest_of_world) || one.name.localeCompare(other.name),
        )
        .map((zone) => (
          <Zone
            key={zone.id}
            zone={zone}
            rates={rates.data.filter(({ zone_id }) => zone_id === zone.id)}
            edit={can('settings.edit') ? edit : undefined}
            onEdit={show}
          />
        ))}
      {isNew && <ZoneForm zone={undefined} onClose={() => show(undefined)} />}
      {zones.data.length > 0 && add && <div>{add}</div>}
      {zones.data.length > 0 && can('orders.create') && (
        <div className="border-t border-line pt-8">
          <ShippingTester />
        </div>
      )}
    </div>
  );
}
