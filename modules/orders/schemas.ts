import { Money, type Static, Timestamp, Type, Uuid } from '@chowk/kit';

const Nullable = <Schema extends ReturnType<typeof Type.String>>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Status = Type.Enum([
  'pending',
  'confirmed',
  'processing',
  'shipped',
  'delivered',
  'cancelled',
  'failed',
  'refunded',
]);
export type Status = Static<typeof Status>;

export const Item = Type.Object({
  id: Uuid,
  name: Type.String(),
  sku: Nullable(Type.String()),
  quantity: Type.Integer(),
  price: Money,
  total: Money,
});
export type Item = Static<typeof Item>;

export const ShippingAddress = Type.Object({
  first_name: Type.Optional(Nullable(Type.String())),
  last_name: Type.Optional(Nullable(Type.String())),
  company: Type.Optional(Nullable(Type.String())),
  address1: Type.Optional(Nullable(Type.String())),
  address2: Type.Optional(Nullable(Type.String())),
  city: Type.Optional(Nullable(Type.String())),
  state: Type.Optional(Nullable(Type.String())),
  pincode: Type.Optional(Nullable(Type.String())),
  country: Type.Optional(Nullable(Type.String())),
  phone: Type.Optional(Nullable(Type.String())),
});

export const Order = Type.Object({
  id: Uuid,
  order_number: Type.String(),
  customer_id: Uuid,
  status: Status,
  currency: Type.String(),
  items: Type.Array(Item),
  total: Money,
  refunded_total: Money,
  shipping_address: Type.Union([ShippingAddress, Type.Null()]),
  note: Nullable(Type.String()),
  placed_at: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Order = Static<typeof Order>;
