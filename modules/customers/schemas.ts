import {
  changesOf,
  Default,
  extend,
  Line,
  Money,
  Nullable,
  NullableEmail,
  NullableLine,
  NullableText,
  named,
  Pagination,
  paging,
  type Static,
  Tags,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit';

const Text = Nullable(Type.String());
const PhoneInput = NullableLine(32, { examples: ['+91 98765 43210'] });

const Platform = Line(50, { pattern: '^[^\\p{Cc}\\p{Cs}]{1,50}$', examples: ['shopify'] });
const ExternalId = Line(255, { examples: ['7712'] });
const ExternalIds = Type.Record(Platform, ExternalId, {
  // A name that does not fit would be dropped like an unknown field, and an update would lose what was there.
  propertyNames: Platform,
  maxProperties: 50,
  description: "The customer's id on other platforms, by platform.",
  examples: [{ shopify: '7712' }],
});

export const NewCustomer = named(
  'NewCustomer',
  Type.Object({
    external_ids: Default(ExternalIds, {}),
    email: Default(NullableEmail, null),
    phone: Default(PhoneInput, null),
    first_name: Default(NullableLine(255), null),
    last_name: Default(NullableLine(255), null),
    accepts_marketing: Default(Type.Boolean(), false),
    tags: Default(Tags, []),
    notes: Default(NullableText(20_000), null),
  }),
);
export type NewCustomer = Static<typeof NewCustomer>;

export const CustomerChanges = named('CustomerChanges', extend(changesOf(NewCustomer), { id: Uuid }));
export type CustomerChanges = Static<typeof CustomerChanges>;

/** A customer as lists show it. */
export const Customer = named(
  'Customer',
  Type.Object({
    id: Uuid,
    external_ids: Type.Record(Type.String(), Type.String()),
    email: Text,
    phone: Nullable(
      Type.String({
        description: 'E.164 where the country is known, else digits; masked without customers.view_sensitive.',
      }),
    ),
    first_name: Text,
    last_name: Text,
    accepts_marketing: Type.Boolean(),
    total_orders: Type.Integer(),
    total_spent: Money,
    avg_order_value: Money,
    first_order_at: Nullable(Timestamp),
    last_order_at: Nullable(Timestamp),
    tags: Type.Array(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Customer = Static<typeof Customer>;

export const CustomerRecord = named(
  'CustomerRecord',
  extend(Customer, { notes: Text, anonymized_at: Nullable(Timestamp) }),
);
export type CustomerRecord = Static<typeof CustomerRecord>;

const AddressType = Type.Enum(['billing', 'shipping']);
const line = (maxLength: number) => Default(NullableLine(maxLength), null);

/** What an address says. */
export const AddressFields = Type.Object({
  first_name: line(255),
  last_name: line(255),
  company: line(255),
  address1: line(255),
  address2: line(255),
  city: line(255),
  state: line(255),
  pincode: line(20),
  country: line(100),
  phone: Default(PhoneInput, null),
});
export type AddressFields = Static<typeof AddressFields>;

const NewFields = extend(AddressFields, {
  type: Default(AddressType, 'shipping'),
  is_default: Default(Type.Boolean(), false),
});
export const NewAddress = named('NewCustomerAddress', extend(NewFields, { id: Uuid }));
export type NewAddress = Static<typeof NewAddress>;

export const AddressKey = Type.Object({ id: Uuid, addr: Uuid });
export type AddressKey = Static<typeof AddressKey>;
export const AddressChanges = named('CustomerAddressChanges', extend(changesOf(NewFields), AddressKey.properties));
export type AddressChanges = Static<typeof AddressChanges>;

export const Address = named(
  'CustomerAddress',
  Type.Object({
    id: Uuid,
    customer_id: Uuid,
    type: AddressType,
    is_default: Type.Boolean(),
    first_name: Text,
    last_name: Text,
    company: Text,
    address1: Text,
    address2: Text,
    city: Text,
    state: Text,
    pincode: Text,
    country: Text,
    phone: Text,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Address = Static<typeof Address>;

export const Metadata = named(
  'CustomerMetadata',
  Type.Object({
    id: Uuid,
    customer_id: Uuid,
    key: Type.String(),
    value: Type.String(),
    module_source: Type.String(),
  }),
);
export type Metadata = Static<typeof Metadata>;

export const SegmentKey = Type.Enum(['new', 'returning', 'loyal', 'vip', 'at_risk', 'marketing']);
export type SegmentKey = Static<typeof SegmentKey>;
export const Segment = named(
  'CustomerSegment',
  Type.Object({ key: SegmentKey, label: Type.String(), count: Type.Integer() }),
);
export type Segment = Static<typeof Segment>;

/** An order as the orders module shows it. */
const CustomerOrder = named(
  'CustomerOrder',
  Type.Object(
    {
      id: Uuid,
      order_number: Type.String(),
      status: Type.String(),
      total: Money,
      currency: Type.String(),
      placed_at: Timestamp,
      items: Type.Array(Type.Unknown()),
    },
    { additionalProperties: true },
  ),
);
export const OrdersQuery = Type.Object({ id: Uuid, ...paging });
export type OrdersQuery = Static<typeof OrdersQuery>;
export const OrderPage = Type.Object({ orders: Type.Array(CustomerOrder), pagination: Pagination });
export type OrderPage = Static<typeof OrderPage>;

export const CustomerDetail = named(
  'CustomerDetail',
  extend(CustomerRecord, {
    addresses: Type.Array(Address),
    recent_orders: Type.Array(CustomerOrder),
    segments: Type.Array(SegmentKey),
    metadata: Type.Array(Metadata),
  }),
);
export type CustomerDetail = Static<typeof CustomerDetail>;

export const ExternalIdKey = Type.Object({ platform: Platform, external_id: ExternalId });
export type ExternalIdKey = Static<typeof ExternalIdKey>;

export const SearchQuery = Type.Object({
  q: Line(200, { minLength: 2, examples: ['asha rao'] }),
  limit: Default(Type.Integer({ minimum: 1, maximum: 50 }), 20),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const BulkTags = named(
  'CustomerTags',
  Type.Object({
    customer_ids: Type.Array(Uuid, { minItems: 1, maxItems: 1_000 }),
    tags: Type.Array(Tags.items, { minItems: 1, maxItems: 50, distinct: true }),
  }),
);
export type BulkTags = Static<typeof BulkTags>;
export const BulkTagsResult = named(
  'CustomerTagsResult',
  Type.Object({
    updated: Type.Integer({ description: 'How many of the customers were found.' }),
    not_found: Type.Array(Uuid),
  }),
);
export type BulkTagsResult = Static<typeof BulkTagsResult>;

export const Merge = named('CustomerMerge', Type.Object({ primary_id: Uuid, secondary_id: Uuid }));
export type Merge = Static<typeof Merge>;
export const MergePreview = named(
  'CustomerMergePreview',
  Type.Object({
    customer: CustomerRecord,
    changed: Type.Array(Type.String(), { description: 'The fields of the primary that would change.' }),
    moved: Type.Array(Type.Object({ module: Type.String(), table: Type.String(), rows: Type.Integer() })),
  }),
);
export type MergePreview = Static<typeof MergePreview>;

export const Deletion = Type.Object({
  id: Uuid,
  mode: Default(Type.Enum(['soft', 'anonymize', 'hard']), 'soft'),
});
export type Deletion = Static<typeof Deletion>;

export const PersonExport = named(
  'CustomerExport',
  Type.Object({
    exported_at: Timestamp,
    customer: CustomerRecord,
    data: Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Type.Unknown())), {
      description: 'Every row, by module and table.',
    }),
  }),
);
export type PersonExport = Static<typeof PersonExport>;

declare module '@chowk/kit/catalogue' {
  interface Events {
    'customer.created': { customer: CustomerRecord };
    /** `changed` names the fields. */
    'customer.updated': { customer: CustomerRecord; changed: string[] };
    /** The customer has all that the removed one had. */
    'customer.merged': { customer: CustomerRecord; removed_id: string };
    'customer.deleted': { id: string; mode: Deletion['mode'] };
  }
}
