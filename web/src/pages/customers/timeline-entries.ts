import type { AuditEntry, Conversation, CustomerDetail, CustomerOrder } from '@chowk/client';

/** Something that happened with a customer. */
export type TimelineEntry = { readonly id: string; readonly at: string } & (
  | { readonly kind: 'order'; readonly order: CustomerOrder }
  | { readonly kind: 'message'; readonly conversation: Conversation }
  | { readonly kind: 'change'; readonly text: string; readonly userId: number | null }
);

/** Records that were read, newest first, and whether there are older ones. */
interface Source<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

interface Sources {
  readonly customer: CustomerDetail;
  readonly orders: Source<CustomerOrder>;
  readonly conversations: Source<Conversation>;
  readonly changes: Source<AuditEntry>;
}

/** All in one list, newest first, as far back as every source has been read. */
export function combine({ customer, orders, conversations, changes }: Sources): Source<TimelineEntry> {
  const sources: readonly Source<TimelineEntry>[] = [
    toEntries(orders, (order) => ({ id: order.id, at: order.placed_at, kind: 'order', order })),
    toEntries(conversations, (conversation) => ({
      id: conversation.id,
      at: conversation.last_message_at,
      kind: 'message',
      conversation,
    })),
    toEntries(changes, (entry) => ({
      id: entry.id,
      at: entry.at,
      kind: 'change',
      text: describe(entry),
      userId: entry.user_id,
    })),
  ];
  const isRecorded = changes.items.some(({ action }) => action === 'customers.create');
  const created: TimelineEntry[] = isRecorded
    ? []
    : [{ id: 'created', at: customer.created_at, kind: 'change', text: 'Customer created', userId: null }];
  const starts = sources.filter(({ hasMore }) => hasMore).map(({ items }) => items.at(-1)?.at ?? '');
  const start = starts.toSorted().at(-1) ?? '';
  const items = [...sources.flatMap((one) => one.items), ...created]
    .filter(({ at }) => at >= start)
    .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  return { items, hasMore: starts.length > 0 };
}

function toEntries<Item>({ items, hasMore }: Source<Item>, toEntry: (item: Item) => TimelineEntry) {
  return { items: items.map(toEntry), hasMore };
}

const texts: Readonly<Record<string, string>> = {
  'customers.create': 'Customer created',
  'customers.addTags': 'Tags added',
  'customers.removeTags': 'Tags removed',
  'customers.addAddress': 'Address added',
  'customers.updateAddress': 'Address changed',
  'customers.deleteAddress': 'Address deleted',
  'customers.setDefaultAddress': 'Default address changed',
  'customers.merge': 'Merged with another customer',
  'customers.exportPerson': 'All data exported',
  'customers.delete': 'Personal data erased',
};

const fieldNames: Readonly<Record<string, string>> = {
  first_name: 'first name',
  last_name: 'last name',
  accepts_marketing: 'marketing consent',
  external_ids: 'ids on other platforms',
};

function describe({ action, changes }: AuditEntry): string {
  if (action !== 'customers.update') return texts[action] ?? action;
  const fields = Object.keys((changes ?? {}) as object).map((name) => fieldNames[name] ?? name);
  return fields.length === 0 ? 'Saved without a change' : `Changed ${fields.join(', ')}`;
}
