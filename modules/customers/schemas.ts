import {
  Default,
  Email,
  extend,
  Line,
  Money,
  NamedObject,
  Nullable,
  NullableEmail,
  NullableLine,
  NullableText,
  named,
  outputFields,
  Pagination,
  paging,
  type Static,
  Tags,
  TextMap,
  Timestamp,
  Type,
  Uuid,
  updateSchema,
} from '@chowk/kit';

// Validation cannot trim the name of a field.
const Platform = Type.String({ pattern: '^[^\\p{Cc}\\p{Cs}]{1,50}$', examples: ['shopify'] });
const ExternalId = Line(255, { examples: ['7712'] });
export const maxExternalIds = 50;
/** See `Tags`. */
export const maxTags = 50;
export const maxNotesLength = 20_000;
const examples = [{ shopify: '7712' }];
const ExternalIds = TextMap(50, ExternalId, { description: "The customer's ids on other platforms.", examples });
const ExternalIdChanges = TextMap(50, Nullable(ExternalId), {
  examples,
  description: 'Ids on other platforms to set; null removes one, those of other platforms do not change.',
});
export const ExternalIdKey = Type.Object({ platform: Platform, external_id: ExternalId });
export type ExternalIdKey = Static<typeof ExternalIdKey>;

const line = (maxLength: number) => Default(NullableLine(maxLength), null);
const Phone = NullableLine(32, {
  description: 'E.164 where the country is known, else digits. Masked without customers.view_sensitive.',
  examples: ['+919876543210'],
});

const MetadataValue = Type.String({ maxLength: 5_000, pattern: '^[^\\0\\p{Cs}]*$' });
const metadataExamples = [{ loyalty_tier: 'gold' }];
const MetadataChanges = TextMap(100, Nullable(MetadataValue), {
  description: 'Texts of your own to set; null removes one, others do not change.',
  examples: metadataExamples,
});
export type MetadataChanges = Static<typeof MetadataChanges>;

/** The fields of a row of `customers` that callers set. */
export const CustomerFields = NamedObject('NewCustomer', {
  external_ids: Default(ExternalIds, {}),
  email: Default(NullableEmail, null),
  phone: Default(Phone, null),
  first_name: line(255),
  last_name: line(255),
  accepts_marketing: Default(Type.Boolean(), false),
  tags: Default(Tags, []),
  notes: Default(NullableText(maxNotesLength), null),
});
export type CustomerFields = Static<typeof CustomerFields>;

export const NewCustomer = named(
  'NewCustomer',
  extend(CustomerFields, {
    metadata: Type.Optional(
      TextMap(100, MetadataValue, { description: 'Texts of your own.', examples: metadataExamples }),
    ),
  }),
);
export type NewCustomer = Static<typeof NewCustomer>;

const CustomerEdit = extend(updateSchema(CustomerFields), {
  external_ids: Type.Optional(ExternalIdChanges),
  metadata: Type.Optional(MetadataChanges),
});
export const CustomerChanges = named('CustomerChanges', extend(CustomerEdit, { id: Uuid }));
export type CustomerChanges = Static<typeof CustomerChanges>;

export const CustomerByExternalId = named('CustomerChanges', extend(CustomerEdit, ExternalIdKey.properties));
export const CustomerByEmail = named('CustomerByEmail', extend(CustomerEdit, { email: Email }));
/** Without an id, a new customer. */
export const CustomerItem = named('CustomerItem', extend(CustomerEdit, { id: Type.Optional(Uuid) }));

/** Cancelled and failed orders do not count. Amounts are in one currency, that of the tenant. */
export const Statistics = Type.Object({
  total_orders: Type.Integer(),
  total_spent: Money,
  avg_order_value: Money,
  first_order_at: Nullable(Timestamp),
  last_order_at: Nullable(Timestamp),
  currency: Nullable(
    Type.String({ description: 'The currency of total_spent and avg_order_value; null without orders.' }),
  ),
  other_currencies: Type.Array(Type.String(), {
    description: 'The currencies of orders whose amounts are not in total_spent and avg_order_value.',
    examples: [['USD']],
  }),
});
export type Statistics = Static<typeof Statistics>;

const { tags, notes, ...profile } = outputFields(CustomerFields);

/** As in lists. */
export const Customer = NamedObject('Customer', {
  id: Uuid,
  ...profile,
  external_ids: Type.Record(Type.String(), Type.String()),
  ...Statistics.properties,
  tags,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Customer = Static<typeof Customer>;

/** As in files. */
export const CustomerRow = extend(Customer, { notes });
export const CustomerRecord = named('CustomerRecord', extend(CustomerRow, { anonymized_at: Nullable(Timestamp) }), {
  graphqlType: 'Customer',
});
export type CustomerRecord = Static<typeof CustomerRecord>;

export const Reveal = named(
  'CustomerReveal',
  Type.Object({ id: Uuid, field: Default(Type.Enum(['phone', 'email']), 'phone') }),
);
export type Reveal = Static<typeof Reveal>;

export const RevealedField = named(
  'RevealedCustomerField',
  Type.Object({ field: Reveal.properties.field, value: Nullable(Type.String()) }),
);
export type RevealedField = Static<typeof RevealedField>;

export const AddressFields = Type.Object({
  type: Default(Type.Enum(['billing', 'shipping'], { description: 'What the address is for.' }), 'shipping'),
  is_default: Default(Type.Boolean(), false),
  first_name: line(255),
  last_name: line(255),
  company: line(255),
  address1: line(255),
  address2: line(255),
  city: line(255),
  state: line(255),
  pincode: line(20),
  country: line(100),
  phone: line(32),
});
export type AddressFields = Static<typeof AddressFields>;

export const NewAddress = named('NewCustomerAddress', extend(AddressFields, { id: Uuid }));
export type NewAddress = Static<typeof NewAddress>;

export const AddressKey = Type.Object({ id: Uuid, addr: Uuid });
export type AddressKey = Static<typeof AddressKey>;
export const AddressChanges = named(
  'CustomerAddressChanges',
  extend(updateSchema(AddressFields), AddressKey.properties),
);
export type AddressChanges = Static<typeof AddressChanges>;

export const Address = NamedObject('CustomerAddress', {
  id: Uuid,
  customer_id: Uuid,
  ...outputFields(AddressFields),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Address = Static<typeof Address>;

export const Metadata = NamedObject('CustomerMetadata', {
  id: Uuid,
  customer_id: Uuid,
  key: Type.String(),
  value: Type.String(),
  module_source: Type.String(),
});
export type Metadata = Static<typeof Metadata>;

export const CustomerConsent = NamedObject('CustomerConsent', {
  accepts_marketing: Type.Boolean(),
  source: Type.String({
    description: '`update`, `creation`, `unsubscribe_link`, or the channel of the message of the customer.',
    examples: ['unsubscribe_link'],
  }),
  user_id: Type.Unsafe<number | null>({
    ...Nullable(Type.Integer()),
    description: 'The member or API client who changed it; null: the customer.',
  }),
  created_at: Timestamp,
});
export type CustomerConsent = Static<typeof CustomerConsent>;

export const SegmentKey = Type.Enum(['new', 'returning', 'loyal', 'vip', 'at_risk', 'marketing']);
export type SegmentKey = Static<typeof SegmentKey>;
export const Segment = NamedObject('CustomerSegment', {
  key: SegmentKey,
  label: Type.String(),
  count: Type.Integer(),
});
export type Segment = Static<typeof Segment>;

/** As the orders module returns it. */
const CustomerOrder = NamedObject(
  'CustomerOrder',
  {
    id: Uuid,
    order_number: Type.String(),
    status: Type.String(),
    total: Money,
    currency: Type.String(),
    placed_at: Timestamp,
    items: Type.Array(Type.Unknown()),
  },
  { additionalProperties: true, graphqlType: 'Order' },
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
    consents: Type.Array(CustomerConsent, {
      description: 'The latest 20 changes of `accepts_marketing`, newest first.',
    }),
  }),
  { graphqlType: 'Customer' },
);
export type CustomerDetail = Static<typeof CustomerDetail>;

export const BulkTags = NamedObject('CustomerTags', {
  customer_ids: Type.Array(Uuid, { minItems: 1, maxItems: 1_000 }),
  tags: Type.Array(Tags.items, { minItems: 1, maxItems: 50, distinct: true }),
});
export type BulkTags = Static<typeof BulkTags>;
export const BulkTagsResult = NamedObject('CustomerTagsResult', {
  updated: Type.Integer({ description: 'The number of customers that exist.' }),
  changed: Type.Array(Uuid, { description: 'The customers whose tags are different now.' }),
  not_found: Type.Array(Uuid),
});
export type BulkTagsResult = Static<typeof BulkTagsResult>;

export const TagCount = NamedObject('CustomerTagCount', { name: Type.String(), count: Type.Integer() });
export type TagCount = Static<typeof TagCount>;

const RowCounts = Type.Array(Type.Object({ module: Type.String(), table: Type.String(), rows: Type.Integer() }));
export const DataCounts = Type.Object({ data: RowCounts });
export type DataCounts = Static<typeof DataCounts>;

export const Merge = NamedObject('CustomerMerge', {
  primary_id: { ...Uuid, description: 'The customer that stays.' },
  secondary_id: {
    ...Uuid,
    description: 'The customer that is removed. Its orders and conversations move to the other.',
  },
});
export type Merge = Static<typeof Merge>;
export const MergePreview = NamedObject('CustomerMergePreview', {
  customer: CustomerRecord,
  changed: Type.Array(Type.String(), { description: 'The fields of the primary that would change.' }),
  moved: RowCounts,
});
export type MergePreview = Static<typeof MergePreview>;

export const Deletion = Type.Object({ id: Uuid, mode: Default(Type.Enum(['soft', 'anonymize', 'hard']), 'soft') });
export type Deletion = Static<typeof Deletion>;

export const PersonExport = NamedObject('CustomerExport', {
  exported_at: Timestamp,
  customer: CustomerRecord,
  data: Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Type.Unknown())), {
    description: 'Every row, by module and table.',
  }),
});
export type PersonExport = Static<typeof PersonExport>;
