import type { Customer } from '@chowk/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { LogOut, Moon, Package, ReceiptText, Sun, UserRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { keys } from '../api/query-keys.ts';
import { tenantKey, useCan, useMe } from '../api/use-api.ts';
import { money } from '../format/numbers.ts';
import { formatPhone } from '../format/phone.ts';
import { useEntries } from '../modules/entries.ts';
import { customerName } from '../people/customer-name.ts';
import { api, signOut, useTenant } from '../session/session.ts';
import { useDebounced } from '../state/debounced.ts';
import { chooseTheme } from '../theme.ts';
import { isOffered, type NavigationItem, withModulePages } from './navigation.ts';
import type { Command, PaletteItem } from './palette-item.ts';

const actions: readonly Command[] = [
  { label: 'Use the dark theme', icon: Moon, target: () => chooseTheme('dark') },
  { label: 'Use the light theme', icon: Sun, target: () => chooseTheme('light') },
  { label: 'Sign out', icon: LogOut, target: signOut },
];

const pauseMs = 120;
const maxRecords = 5;

/** Pages and actions whose name has the words, and records that the platform finds. */
export function usePaletteItems(text: string): {
  readonly items: readonly PaletteItem[];
  /** Until then, the records are those of the previous text. */
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
} {
  const can = useCan();
  const tenantRole = useMe().data?.tenant_role;
  const tenant = useTenant();
  const more = useMore();
  const offered = [...withModulePages(useEntries('page')).map(toPage), ...more.pages];
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const query = useDebounced(text.trim(), pauseMs);
  const records = useQuery({
    queryKey: tenantKey(tenant, keys.palette(query)),
    queryFn: () => findRecords(query, can),
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
  });
  const matching = (group: 'Go to' | 'Actions', candidates: readonly Command[]): PaletteItem[] =>
    candidates
      .filter((candidate) => isMatch(candidate.label, words) && isOffered(candidate, can, tenantRole))
      .map(({ permission: _, tenantRole: __, ...item }) => ({ ...item, group }));
  const isLongEnough = text.trim().length > 1;
  const isSearching = isLongEnough && (records.isFetching || query !== text.trim());
  return {
    items: [
      ...((isLongEnough && records.data) || []),
      ...matching('Go to', offered),
      ...matching('Actions', [...more.actions, ...actions]),
    ],
    isSearching,
    hasFailed: isLongEnough && !isSearching && records.isError,
  };
}

type More = typeof import('./palette-pages.ts');

/** What only the palette has, read when it is opened. */
function useMore(): Pick<More, 'pages' | 'actions'> {
  const [more, setMore] = useState<Pick<More, 'pages' | 'actions'>>({ pages: [], actions: [] });
  useEffect(() => {
    let isClosed = false;
    // Without a connection, the pages of the navigation remain.
    const show = (loaded: More) => !isClosed && setMore(loaded);
    import('./palette-pages.ts').then(show, () => {});
    return () => {
      isClosed = true;
    };
  }, []);
  return more;
}

function toPage({ to, label, icon, permission, tenantRole, letter }: NavigationItem): Command {
  return {
    label,
    icon,
    target: to,
    ...(letter !== undefined && { keys: `G ${letter.toUpperCase()}` }),
    ...(permission && { permission }),
    ...(tenantRole && { tenantRole }),
  };
}

export function isRecord({ group }: PaletteItem): boolean {
  return group !== 'Go to' && group !== 'Actions';
}

function isMatch(label: string, words: readonly string[]): boolean {
  const name = label.toLowerCase();
  return words.every((word) => name.includes(word));
}

async function findRecords(text: string, can: (permission: string) => boolean): Promise<PaletteItem[]> {
  const client = api();
  const [customers, orders, products] = await Promise.all([
    can('customers.view')
      ? client.customers.search({ q: text, limit: maxRecords }).then(({ customers }) => customers.map(customerItem))
      : [],
    can('orders.view')
      ? client.orders.list({ search: text, per_page: maxRecords }).then(({ orders }) => orders.map(orderItem))
      : [],
    can('products.view')
      ? client.products.search({ q: text, limit: maxRecords }).then(({ products }) => products.map(productItem))
      : [],
  ]);
  // The number of an order may be part of a phone number.
  const isOrderNumber = orders.some(({ label }) => label === orderLabel(text));
  return isOrderNumber ? [...orders, ...customers, ...products] : [...customers, ...orders, ...products];
}

function customerItem(customer: Customer): PaletteItem {
  const { id, email, phone } = customer;
  return {
    group: 'Customers',
    label: customerName(customer),
    detail: (phone && formatPhone(phone)) ?? email ?? undefined,
    icon: UserRound,
    target: `/customers/${id}`,
  };
}

function orderLabel(number: string): string {
  return `Order ${number}`;
}

function orderItem(order: { id: string; order_number: string; total: string; currency: string }): PaletteItem {
  const { id, order_number, total, currency } = order;
  return {
    group: 'Orders',
    label: orderLabel(order_number),
    detail: money(total, currency),
    icon: ReceiptText,
    target: `/orders/${id}`,
  };
}

function productItem({ id, title, sku }: { id: string; title: string; sku: string }): PaletteItem {
  return { group: 'Products', label: title, detail: sku, icon: Package, target: `/products/${id}` };
}
