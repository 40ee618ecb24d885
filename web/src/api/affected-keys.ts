import { type Key, keys } from './query-keys.ts';

/* The keys that a change affects. They are refetched after it. */

interface ChangedOrder {
  readonly id: string;
  readonly customer_id?: string | null;
}

const { orders, customers, products, conversations, profile, settings, me } = keys;

/** Creating, deleting, paying back or moving an order to another status also changes the figures of its customer. */
export function affectedByOrder({ id, customer_id }: ChangedOrder): readonly Key[] {
  const customer = customer_id ? [customers.detail(customer_id)] : [];
  return [orders.lists, orders.summaries, orders.detail(id), customers.lists, customers.summaries, ...customer];
}

export const affectedByOrders: readonly Key[] = [
  orders.lists,
  orders.summaries,
  orders.details,
  customers.lists,
  customers.summaries,
  customers.details,
];

/** The note and the address, on which no figure depends. */
export function affectedByOrderField(id: string): readonly Key[] {
  return [orders.lists, orders.latest, orders.activity, orders.detail(id)];
}

export function affectedByCustomer(id: string): readonly Key[] {
  return [customers.lists, customers.summaries, customers.detail(id)];
}

export const affectedByTags: readonly Key[] = [customers.lists, customers.tags, customers.details];

/** A merged or erased customer is gone from orders and conversations too. */
export const affectedByCustomerRemoval: readonly Key[] = [customers.all, orders.all, conversations.all];

export function affectedByProduct(id: string): readonly Key[] {
  return [
    products.lists,
    products.detail(id),
    products.categories,
    products.total,
    products.runningOut,
    products.allLevels,
  ];
}

export function affectedByImages(id: string): readonly Key[] {
  return [products.lists, products.detail(id)];
}

export function affectedByStock(id: string): readonly Key[] {
  return [products.lists, products.detail(id), products.runningOut, products.allLevels];
}

export function affectedByConversation(id: string): readonly Key[] {
  return [conversations.lists, conversations.summaries, conversations.byCustomers, conversations.detail(id)];
}

export const affectedByProfile: readonly Key[] = [profile.details, profile.activity, me];
export const affectedBySessions: readonly Key[] = [profile.sessions, profile.activity];
export const affectedByTokens: readonly Key[] = [profile.tokens, profile.activity];

/** The currency and the time zone are those of all pages. */
export const affectedBySettings: readonly Key[] = [settings.values, settings.organization, me];

/** Whether replies are sent is shown in each conversation. */
export const affectedByChannels: readonly Key[] = [
  keys.notifications.providers,
  ...affectedBySettings,
  conversations.all,
];
