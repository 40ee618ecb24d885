import type { OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { listLeftToShip } from './order-units.ts';
import { readTracking, TrackingFields, type TrackingValues } from './tracking-fields.tsx';
import { UnitFields, useChosenUnits } from './unit-fields.tsx';

interface ShipFormProps {
  readonly order: OrderDetails;
  readonly onDone: () => void;
}

interface Values extends TrackingValues {
  readonly location_id?: string;
  readonly notify?: string;
}

/** A parcel with all that is left of the order, or with a part of it. */
export function ShipForm({ order, onDone }: ShipFormProps) {
  const { id, order_number, shipments } = order;
  const [left] = useState(() => listLeftToShip(order));
  const chosen = useChosenUnits(left, 'all');
  const refetch = useRefetch();
  const [name] = useState(`shipment.${id}.${shipments.length}`);
  const canShip = chosen.isValid && chosen.units.length > 0;
  const form = useForm<Values, `items.${number}.quantity`>(async (values) => {
    if (!canShip) return;
    const input = {
      id,
      items: chosen.units,
      ...readTracking(values),
      location_id: values.location_id || null,
      notify: values.notify !== undefined,
    };
    await submit(name, api().orders.createShipment, input);
    onDone();
    const isAll = JSON.stringify(chosen.units) === JSON.stringify(left);
    toast(`${isAll ? 'Order' : 'A part of order'} ${order_number} shipped.`);
    await refetch(...affectedByOrder(order), keys.products.all);
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <UnitFields label="Items in this parcel" order={order} left={left} chosen={chosen} errors={form.errors} />
      <TrackingFields field={form.field} />
      <LocationField field={form.field('location_id')} />
      <Checkbox name="notify" label="Tell the customer, if a message is set up" defaultChecked />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" isBusy={form.isBusy} disabled={!canShip}>
          Ship items
        </Button>
      </div>
    </form>
  );
}

interface LocationFieldProps {
  readonly field: { readonly name: string; readonly error: string | undefined };
}

/** Only where there are several locations. */
function LocationField({ field }: LocationFieldProps) {
  const can = useCan();
  const { data } = useApi(
    keys.products.locations,
    (client) => client.products.listLocations({ per_page: 100, sort_by: 'created_at' }),
    can('products.view'),
  );
  const locations = data?.locations ?? [];
  if (locations.length < 2) return null;
  return (
    <Field label="From" {...field}>
      {(control) => (
        <Select {...control} defaultValue={locations.find(({ is_default }) => is_default)?.id}>
          {locations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
