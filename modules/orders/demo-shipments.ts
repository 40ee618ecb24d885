import { demoId, pick, type Random } from '@chowk/kit';
import data from './demo-data.json' with { type: 'json' };
import type { Status } from './schemas.ts';

interface Step {
  readonly status: Status;
  readonly at: Date;
}

interface Item {
  readonly id: string;
  readonly quantity: number;
}

/** What was sent of an order with this history: all of it, or the first item of some that are being processed. */
export function generateShipments(orderId: string, items: readonly Item[], steps: readonly Step[], random: Random) {
  const sent = steps.findLast(({ status }) => status === 'shipped' || status === 'delivered' || status === 'refunded');
  const isPartial = steps.at(-1)?.status === 'processing' && items.length > 1 && random() < 0.5;
  if (!sent && !isPartial) return { fulfillment_status: 'unfulfilled', shipped: [], shipments: [], units: [] };
  const shipped = isPartial ? items.slice(0, 1) : items;
  const shippedAt = (steps.find(({ status }) => status === 'shipped') ?? (steps.at(-1) as Step)).at;
  const deliveredAt = steps.find(({ status }) => status === 'delivered')?.at ?? null;
  const parcels = shipped.length > 2 && random() < 0.3 ? [shipped.slice(0, 1), shipped.slice(1)] : [shipped];
  const rows = parcels.map((parcel) => ({ id: demoId(shippedAt.getTime(), random), parcel }));
  return {
    fulfillment_status: isPartial ? 'partly_fulfilled' : 'fulfilled',
    shipped,
    shipments: rows.map(({ id }) => ({
      id,
      order_id: orderId,
      ...generateTracking(random),
      status: deliveredAt ? 'delivered' : 'shipped',
      shipped_at: shippedAt,
      delivered_at: deliveredAt,
      created_at: shippedAt,
      updated_at: deliveredAt ?? shippedAt,
    })),
    units: rows.flatMap(({ id, parcel }) =>
      parcel.map((item) => ({ shipment_id: id, item_id: item.id, quantity: item.quantity })),
    ),
  };
}

function generateTracking(random: Random) {
  const { carrier, url } = pick(random, data.carriers);
  const tracking_number = String(Math.floor(random() * 9e11) + 1e11);
  return { carrier, tracking_number, tracking_url: url + tracking_number };
}
