import { Default, Line, Nullable, named, type Static, Timestamp, Type, Uuid } from '@chowk/kit';
import { Product } from './schemas.ts';
import { maxStock } from './variant-schemas.ts';

const Reason = Line(255, { examples: ['Stocktaking'] });
const Reference = Line(255, { description: 'The purpose, such as an order number.', examples: ['1042'] });
const Location = Type.String({ format: 'uuid', description: 'A stock location. Default: the default one.' });
const Change = Type.Integer({
  minimum: -maxStock,
  maximum: maxStock,
  description: 'The units to add; negative to take away.',
  examples: [12],
});

export const StockChange = named(
  'StockChange',
  Type.Object({
    id: Uuid,
    change: Change,
    reason: Default(Reason, 'adjusted'),
    reference: Type.Optional(Reference),
    location_id: Type.Optional(Location),
  }),
);

const ExpiresIn = Default(Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'Seconds.' }), 900);

export const NewReservation = named(
  'NewReservation',
  Type.Object({
    id: Uuid,
    variant_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Required for a product with several variants.' }),
    ),
    quantity: Type.Integer({ minimum: 1, maximum: maxStock }),
    reference: Type.Optional(Reference),
    expires_in: ExpiresIn,
  }),
);
export type NewReservation = Static<typeof NewReservation>;

export const Reservation = named(
  'Reservation',
  Type.Object({
    id: Uuid,
    product_id: Uuid,
    variant_id: Uuid,
    quantity: Type.Integer(),
    reference: Nullable(Type.String()),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);
export type Reservation = Static<typeof Reservation>;
export const Reserved = Type.Object({ product: Product, reservation: Reservation });
export const ReservationKey = Type.Object({ id: Uuid, reservation: Uuid });
export const RenewedReservation = Type.Object({ ...ReservationKey.properties, expires_in: ExpiresIn });
export type RenewedReservation = Static<typeof RenewedReservation>;

export const StockMovement = named(
  'StockMovement',
  Type.Object({
    id: Uuid,
    change: Type.Integer(),
    reserved_change: Type.Integer(),
    reason: Type.String(),
    reference: Nullable(Type.String()),
    user_id: Nullable(Type.Integer()),
    at: Timestamp,
    variant_id: Uuid,
    location_id: Nullable(Uuid),
    order_id: Nullable(Uuid),
  }),
);
export type StockMovement = Static<typeof StockMovement>;

export const NewLocation = named(
  'NewStockLocation',
  Type.Object({ name: Line(100, { examples: ['Warehouse Pune'] }) }),
);
export const StockLocation = named(
  'StockLocation',
  Type.Object({
    id: Uuid,
    name: Type.String({ examples: ['Warehouse Pune'] }),
    is_default: Type.Boolean({ description: 'Whether it has all units that are at no other location.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

const TransferLocation = Default(
  Type.Unsafe<string | null>({
    ...Nullable(Uuid),
    description: 'A stock location. Default: the default one.',
  }),
  null,
);
export const StockTransfer = named(
  'StockTransfer',
  Type.Object({
    from_location_id: TransferLocation,
    to_location_id: TransferLocation,
    items: Type.Array(
      named(
        'StockTransferItem',
        Type.Object({ variant_id: Uuid, quantity: Type.Integer({ minimum: 1, maximum: maxStock, examples: [10] }) }),
      ),
      { minItems: 1, maxItems: 250, description: 'What is moved.' },
    ),
    reference: Default(Nullable(Reference), null),
  }),
);
export type StockTransfer = Static<typeof StockTransfer>;

export type StockLevel = Static<typeof StockLevel>;
export const StockLevel = named(
  'StockLevel',
  Type.Object({ location_id: Uuid, name: Type.String(), stock: Type.Integer({ description: 'Units on hand.' }) }),
);
