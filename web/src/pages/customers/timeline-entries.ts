import type { Conversation, CustomerDetail, CustomerOrder } from '@chowk/client';
import type { Change } from '../../activity/read-changes.ts';

/** Something that happened with a customer. */
export type TimelineEntry = { readonly id: string; readonly at: string } & (
  | { readonly kind: 'order'; readonly order: CustomerOrder }
  | { readonly kind: 'message'; readonly conversation: Conversation }
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'created' }
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
  readonly changes: Source<Change>;
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
    toEntries(changes, (change) => ({ id: change.id, at: change.at, kind: 'change', change })),
  ];
  const isRecorded = changes.items.some(({ action }) => action === 'customers.create');
  const created: TimelineEntry[] = isRecorded ? [] : [{ id: 'created', at: customer.created_at, kind: 'created' }];
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
