import {
  Default,
  Line,
  NamedObject,
  Nullable,
  NullableLine,
  outputFields,
  type Static,
  Timestamp,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';

export const FulfillmentStatus = Type.Enum(['unfulfilled', 'partly_fulfilled', 'fulfilled']);
export type FulfillmentStatus = Static<typeof FulfillmentStatus>;

const Tracking = Type.Object({
  carrier: Default(NullableLine(100, { examples: ['Delhivery'] }), null),
  tracking_number: Default(NullableLine(100, { examples: ['1490812345678'] }), null),
  tracking_url: Default(
    NullableLine(2_048, {
      description: 'Where the customer can follow the parcel. Must begin with `https://`.',
      examples: ['https://www.delhivery.com/track/package/1490812345678'],
    }),
    null,
  ),
});

export const Shipment = NamedObject('Shipment', {
  id: Uuid,
  order_id: Uuid,
  status: Type.Enum(['shipped', 'delivered', 'cancelled'], {
    description: 'The units of a cancelled shipment are not shipped.',
  }),
  ...outputFields(Tracking),
  location_id: { ...Nullable(Uuid), description: 'The stock location that the units left; null: the default one.' },
  items: Type.Array(NamedObject('ShipmentItem', { item_id: Uuid, quantity: Type.Integer({ examples: [1] }) })),
  user_id: Nullable(Type.Integer()),
  shipped_at: Timestamp,
  delivered_at: Nullable(Timestamp),
  cancelled_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Shipment = Static<typeof Shipment>;

const NewShipmentItem = NamedObject('NewShipmentItem', {
  item_id: Uuid,
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [1] }),
});

export const NewShipment = NamedObject('NewShipment', {
  id: { ...Uuid, description: 'The order.' },
  items: Type.Optional(
    Type.Array(NewShipmentItem, {
      minItems: 1,
      maxItems: 500,
      description: 'Default: all units that have not been shipped.',
    }),
  ),
  ...Tracking.properties,
  location_id: Default(
    { ...Nullable(Uuid), description: 'The stock location that the units leave. Default: the default location.' },
    null,
  ),
  notify: Default(
    Type.Boolean({ description: 'Whether the customer gets the message of a notification rule, if there is one.' }),
    true,
  ),
});
export type NewShipment = Static<typeof NewShipment>;

export const ShipmentChanges = NamedObject('ShipmentChanges', {
  id: { ...Uuid, description: 'The order.' },
  shipment: Uuid,
  ...updateSchema(Tracking).properties,
  status: Type.Optional(
    Type.Enum(['shipped', 'delivered'], { description: 'A delivered shipment cannot be shipped again.' }),
  ),
});
export type ShipmentChanges = Static<typeof ShipmentChanges>;

export const ShipmentCancellation = NamedObject('ShipmentCancellation', {
  id: { ...Uuid, description: 'The order.' },
  shipment: Uuid,
  reason: Type.Optional(Line(1_000, { examples: ['The parcel was lost'] })),
});
export type ShipmentCancellation = Static<typeof ShipmentCancellation>;
