import { action } from '@chowk/kit';
import { cancelShipment } from './cancel-shipment.ts';
import { NewShipment, Shipment, ShipmentCancellation, ShipmentChanges } from './shipment-schemas.ts';
import { checkNewShipment, checkShipmentChanges, createShipment, updateShipment } from './shipments.ts';

export const shipmentActions = {
  'orders.createShipment': action({
    summary: 'Ship items of an order',
    description:
      'Takes the units out of the stock. The first part makes the order `processing`, the last one `shipped`. Cancelled, failed ' +
      'and refunded orders cannot be shipped.',
    http: 'POST /orders/:id/shipments',
    example: { carrier: 'India Post', tracking_number: 'EE123456789IN' },
    graphql: 'createShipment',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: NewShipment,
    output: Shipment,
    answer: { key: 'shipment', message: 'Shipment created.', status: 201 },
    errors: [
      'http.precondition_failed',
      'orders.not_found',
      'orders.not_shippable',
      'orders.nothing_to_ship',
      'products.insufficient_stock',
      'products.insufficient_stock_for_several',
      'products.insufficient_at_location',
    ],
    atomic: true,
    check: checkNewShipment,
    run: createShipment,
  }),
  'orders.updateShipment': action({
    summary: 'Update a shipment',
    description:
      'Fields that are not sent do not change. Once all shipments of a shipped order are delivered, the order is.',
    http: 'PATCH /orders/:id/shipments/:shipment',
    graphql: 'updateShipment',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: ShipmentChanges,
    output: Shipment,
    answer: { key: 'shipment', message: 'Shipment saved.' },
    errors: ['http.precondition_failed', 'orders.not_found', 'orders.shipment_not_found'],
    atomic: true,
    check: checkShipmentChanges,
    run: updateShipment,
  }),
  'orders.cancelShipment': action({
    summary: 'Cancel a shipment that was not delivered',
    description:
      'Its units return to the stock and are reserved for the order again, unless the order is cancelled, failed or refunded. A shipped ' +
      'order becomes `processing`. Cancelling it again changes nothing.',
    http: 'POST /orders/:id/shipments/:shipment/cancel',
    graphql: 'cancelShipment',
    needs: 'orders.edit',
    bus: { rateLimit: 3_000 },
    input: ShipmentCancellation,
    output: Shipment,
    answer: { key: 'shipment', message: 'Shipment cancelled.' },
    errors: ['http.precondition_failed', 'orders.not_found', 'orders.shipment_not_found', 'orders.shipment_delivered'],
    atomic: true,
    run: cancelShipment,
  }),
};
