import type { OrderDetails, Shipment } from '@chowk/client';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { CancelShipmentForm } from './cancel-shipment-form.tsx';
import { listActions, type OrderAction } from './order-actions.ts';
import { listLeftToShip, unitsText } from './order-units.ts';
import { readTracking, TrackingFields, type TrackingValues } from './tracking-fields.tsx';

interface OrderShipmentsProps {
  readonly order: OrderDetails;
  readonly onAction: (action: OrderAction) => void;
}

/** The parcels of the order, and what is left to ship. */
export function OrderShipments({ order, onAction }: OrderShipmentsProps) {
  const { items, shipments, fulfillment_status } = order;
  const [asking, ask] = useState<{ readonly action: 'tracking' | 'cancelling'; readonly index: number }>();
  const close = () => ask(undefined);
  const asked = asking && shipments[asking.index];
  const canShip = listActions(order, useCan()).includes('ship');
  const left = canShip ? listLeftToShip(order) : [];
  const ship = canShip && (
    <Button variant="quiet" className="-mr-3.5 text-sm" onClick={() => onAction('ship')}>
      Ship items
    </Button>
  );
  return (
    <Section title="Shipments" actions={ship}>
      {shipments.length === 0 && (
        <p className="text-secondary">{fulfillment_status === 'fulfilled' ? 'Shipped.' : 'Nothing is shipped yet.'}</p>
      )}
      {shipments.length > 0 && (
        <ul className="grid">
          {shipments.map((shipment, index) => (
            <ShipmentRow
              key={shipment.id}
              order={order}
              shipment={shipment}
              number={index + 1}
              onTrack={() => ask({ action: 'tracking', index })}
              onCancel={() => ask({ action: 'cancelling', index })}
            />
          ))}
        </ul>
      )}
      {shipments.length > 0 && left.length > 0 && (
        <p className="break-words text-secondary">Left to ship: {unitsText(items, left)}</p>
      )}
      <Dialog title="Tracking" isOpen={asking?.action === 'tracking'} onClose={close}>
        {asked && <TrackingForm order={order} shipment={asked} onDone={close} />}
      </Dialog>
      <Dialog
        title={`Cancel parcel ${(asking?.index ?? 0) + 1}`}
        isOpen={asking?.action === 'cancelling'}
        onClose={close}
      >
        {asked && <CancelShipmentForm order={order} shipment={asked} number={asking.index + 1} onDone={close} />}
      </Dialog>
    </Section>
  );
}

interface ShipmentRowProps {
  readonly order: OrderDetails;
  readonly shipment: Shipment;
  readonly number: number;
  readonly onTrack: () => void;
  readonly onCancel: () => void;
}

const states: Readonly<Record<Shipment['status'], readonly [tone: Tone, label: string]>> = {
  shipped: ['info', 'Shipped'],
  delivered: ['success', 'Delivered'],
  cancelled: ['neutral', 'Cancelled'],
};

function ShipmentRow({ order, shipment, number, onTrack, onCancel }: ShipmentRowProps) {
  const { id, status, items, carrier, tracking_number, shipped_at, delivered_at, cancelled_at } = shipment;
  const can = useCan();
  const deliver = useAction(
    (client, _: undefined) => client.orders.updateShipment({ id: order.id, shipment: id, status: 'delivered' }),
    { affects: affectedByOrder(order), done: () => `Parcel ${number} delivered.` },
  );
  const [tone, label] = states[status];
  const isUnderWay = status === 'shipped';
  const isCancelled = status === 'cancelled';
  const isTracked = carrier !== null || tracking_number !== null || shipment.tracking_url !== null;
  return (
    <li className="grid gap-1 border-b border-line py-2 last:border-0">
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">Parcel {number}</span>
        <StatusPill tone={tone}>{label}</StatusPill>
        <span className="ml-auto text-xs">
          <RelativeTime time={cancelled_at ?? delivered_at ?? shipped_at} />
        </span>
      </span>
      <span className={`break-words ${isCancelled ? 'text-faint line-through' : 'text-secondary'}`}>
        {unitsText(order.items, items)}
      </span>
      {isTracked && <Tracking shipment={shipment} />}
      {can('orders.edit') && !isCancelled && (
        <span className="-ml-3.5 flex flex-wrap">
          {isUnderWay && (
            <Button
              variant="quiet"
              className="text-sm"
              aria-label={`Mark as delivered: parcel ${number}`}
              isBusy={deliver.isPending}
              onClick={() => deliver.mutate(undefined)}
            >
              Mark as delivered
            </Button>
          )}
          <Button
            variant="quiet"
            className="text-sm"
            aria-label={`${isTracked ? 'Edit' : 'Add'} tracking: parcel ${number}`}
            onClick={onTrack}
          >
            {isTracked ? 'Edit tracking' : 'Add tracking'}
          </Button>
          {isUnderWay && (
            <Button variant="quiet" className="text-sm" aria-label={`Cancel parcel ${number}`} onClick={onCancel}>
              Cancel parcel
            </Button>
          )}
        </span>
      )}
    </li>
  );
}

function Tracking({ shipment: { carrier, tracking_number, tracking_url } }: { readonly shipment: Shipment }) {
  const text = [carrier, tracking_number].filter(Boolean).join(' ') || 'Follow the parcel';
  if (tracking_url === null) return <span className="numeric text-sm break-words">{text}</span>;
  return (
    <a
      href={tracking_url}
      target="_blank"
      rel="noreferrer"
      className="numeric justify-self-start text-sm break-all text-accent underline-offset-4 hover:underline"
    >
      {text}
    </a>
  );
}

interface TrackingFormProps {
  readonly order: OrderDetails;
  readonly shipment: Shipment;
  readonly onDone: () => void;
}

function TrackingForm({ order, shipment, onDone }: TrackingFormProps) {
  const refetch = useRefetch();
  const form = useForm<TrackingValues>(async (values) => {
    await api().orders.updateShipment({ id: order.id, shipment: shipment.id, ...readTracking(values) });
    onDone();
    toast('Tracking saved.');
    await refetch(...affectedByOrder(order));
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <TrackingFields field={form.field} shipment={shipment} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save tracking
        </Button>
      </div>
    </form>
  );
}
