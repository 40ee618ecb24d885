import {
  DownloadFormat,
  Message,
  Moment,
  Money,
  MoneyInput,
  Nullable,
  Pagination,
  paging,
  type Static,
  Tags,
  TagsFilter,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit';

const Line = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\p{Cc}]*$' });

const Platform = Type.String({ minLength: 1, maxLength: 50, pattern: '^[^\\p{Cc}]{1,50}$' });
const ExternalIds = Type.Record(
  Platform,
  Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\p{Cc}]*$' }),
  // A name that is none would be left out like a field that nobody knows, and a change would lose what was there.
  { propertyNames: Platform, maxProperties: 50, description: "By platform, the customer's id there." },
);

/** A customer as lists show it. */
export const Customer = Type.Object({
  id: Uuid,
  external_ids: Type.Record(Type.String(), Type.String()),
  email: Nullable(Type.String()),
  phone: Nullable(
    Type.String({
      description: 'E.164 where the country is known, else digits; masked without customers.view_sensitive.',
    }),
  ),
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
  accepts_marketing: Type.Boolean(),
  total_orders: Type.Integer(),
  total_spent: Money,
  avg_order_value: Money,
  first_order_at: Nullable(Timestamp),
  last_order_at: Nullable(Timestamp),
  tags: Type.Array(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Customer = Static<typeof Customer>;

/** A customer as those see it who work on it. */
export const CustomerRecord = Type.Object({
  ...Customer.properties,
  notes: Nullable(Type.String()),
  anonymized_at: Nullable(Timestamp),
});
export type CustomerRecord = Static<typeof CustomerRecord>;

/** An email as it is kept; in an input there may be spaces around it. */
export const Email = Type.String({ maxLength: 254, format: 'email' });
const EmailInput = Type.String({ maxLength: 300, description: 'An email address; kept in lower case.' });
const Phone = Type.String({ maxLength: 32 });
// PostgreSQL cannot keep the character NUL.
const Notes = Type.String({ maxLength: 20_000, pattern: '^[^\\0]*$' });

const fields = {
  external_ids: Type.Optional(ExternalIds),
  email: Type.Optional(Nullable(EmailInput)),
  phone: Type.Optional(Nullable(Phone)),
  first_name: Type.Optional(Nullable(Line(255))),
  last_name: Type.Optional(Nullable(Line(255))),
  accepts_marketing: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Tags),
  notes: Type.Optional(Nullable(Notes)),
};
/** What a merchant says about a customer; of a new one at least an email, a phone or a first name. */
export const CustomerInput = Type.Object(fields);
export type CustomerInput = Static<typeof CustomerInput>;

export const AddressType = Type.Enum(['billing', 'shipping']);

const addressFields = {
  first_name: Type.Optional(Nullable(Line(255))),
  last_name: Type.Optional(Nullable(Line(255))),
  company: Type.Optional(Nullable(Line(255))),
  address1: Type.Optional(Nullable(Line(255))),
  address2: Type.Optional(Nullable(Line(255))),
  city: Type.Optional(Nullable(Line(255))),
  state: Type.Optional(Nullable(Line(255))),
  pincode: Type.Optional(Nullable(Line(20))),
  country: Type.Optional(Nullable(Line(100))),
  phone: Type.Optional(Nullable(Phone)),
};
export const NewAddress = Type.Object({
  type: Type.Enum(['billing', 'shipping'], { default: 'shipping' }),
  is_default: Type.Optional(Type.Boolean()),
  ...addressFields,
});
export type NewAddress = Static<typeof NewAddress>;
export const AddressChanges = Type.Object({
  type: Type.Optional(AddressType),
  is_default: Type.Optional(Type.Boolean()),
  ...addressFields,
});
export type AddressChanges = Static<typeof AddressChanges>;

export const Address = Type.Object({
  id: Uuid,
  customer_id: Uuid,
  type: AddressType,
  is_default: Type.Boolean(),
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
  company: Nullable(Type.String()),
  address1: Nullable(Type.String()),
  address2: Nullable(Type.String()),
  city: Nullable(Type.String()),
  state: Nullable(Type.String()),
  pincode: Nullable(Type.String()),
  country: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Address = Static<typeof Address>;

export const Metadata = Type.Object({
  id: Uuid,
  customer_id: Uuid,
  key: Type.String(),
  value: Type.String(),
  module_source: Type.String(),
});
export type Metadata = Static<typeof Metadata>;

export const SegmentKey = Type.Enum(['new', 'returning', 'loyal', 'vip', 'at_risk', 'marketing']);
export type SegmentKey = Static<typeof SegmentKey>;
export const SegmentsAnswer = Type.Object({
  segments: Type.Array(Type.Object({ key: SegmentKey, label: Type.String(), count: Type.Integer() })),
});

/** An order of the customer, as the orders module shows it. */
const CustomerOrder = Type.Object(
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
);

export const CustomerDetail = Type.Object({
  ...CustomerRecord.properties,
  addresses: Type.Array(Address),
  recent_orders: Type.Array(CustomerOrder),
  segments: Type.Array(SegmentKey),
  metadata: Type.Array(Metadata),
});
export type CustomerDetail = Static<typeof CustomerDetail>;

const filters = {
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words in name or email; a phone, for who may see it.' }),
  ),
  tags: Type.Optional(TagsFilter),
  accepts_marketing: Type.Optional(Type.Boolean()),
  vip: Type.Optional(Type.Boolean({ description: 'Only those who are VIPs, or only those who are not.' })),
  min_orders: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  min_spent: Type.Optional(MoneyInput),
  created_from: Type.Optional(Moment),
  created_to: Type.Optional(Moment),
};
const order = {
  sort_by: Type.Enum(['created_at', 'first_name', 'total_orders', 'total_spent', 'last_order_at'], {
    default: 'created_at',
  }),
  sort_order: Type.Enum(['asc', 'desc'], { default: 'desc' }),
};
const Filters = Type.Object(filters);
export type Filters = Static<typeof Filters>;
const Order = Type.Object(order);
export type Order = Static<typeof Order>;
export const ListQuery = Type.Object({ ...filters, ...order, ...paging });
export type ListQuery = Static<typeof ListQuery>;
export const ExportQuery = Type.Object({ ...filters, ...order, format: DownloadFormat });
export type ExportQuery = Static<typeof ExportQuery>;

export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 200 }),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 20 }),
});
export type SearchQuery = Static<typeof SearchQuery>;

const mostIds = 1_000;
export const BulkTags = Type.Object({
  customer_ids: Type.Array(Uuid, { minItems: 1, maxItems: mostIds }),
  tags: Type.Array(Tags.items, { minItems: 1, maxItems: 50 }),
});
export type BulkTags = Static<typeof BulkTags>;
export const BulkTagsAnswer = Type.Object({
  ...Message.properties,
  updated: Type.Integer({ description: 'How many of the customers were found.' }),
  not_found: Type.Array(Uuid),
});

export const Merge = Type.Object({ primary_id: Uuid, secondary_id: Uuid });
export type Merge = Static<typeof Merge>;
export const MergePreview = Type.Object({
  customer: CustomerRecord,
  changed: Type.Array(Type.String(), { description: 'The fields of the primary that would change.' }),
  moved: Type.Array(Type.Object({ module: Type.String(), table: Type.String(), rows: Type.Integer() })),
});

export const DeleteQuery = Type.Object({ mode: Type.Enum(['soft', 'anonymize', 'hard'], { default: 'soft' }) });
export type DeleteMode = Static<typeof DeleteQuery>['mode'];

export const CustomersAnswer = Type.Object({ customers: Type.Array(Customer) });
export const CustomerPage = Type.Object({ customers: Type.Array(Customer), pagination: Pagination });
export const CustomerMessage = Type.Object({ ...Message.properties, customer: CustomerRecord });
export const DetailAnswer = Type.Object({ customer: CustomerDetail });
export const AddressesAnswer = Type.Object({ addresses: Type.Array(Address) });
export const AddressMessage = Type.Object({ ...Message.properties, address: Address });
export const OrderPage = Type.Object({ orders: Type.Array(CustomerOrder), pagination: Pagination });
export const PersonExport = Type.Object({
  exported_at: Timestamp,
  customer: CustomerRecord,
  data: Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Type.Unknown())), {
    description: 'By module and table, every row.',
  }),
});

export const ById = Type.Object({ id: Uuid });
export const ByAddress = Type.Object({ id: Uuid, addr: Uuid });
