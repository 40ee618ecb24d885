import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  ClipboardPlus,
  type LucideIcon,
  Moon,
  Package,
  PackagePlus,
  ReceiptText,
  Settings2,
  Sun,
  UserPlus,
  UserRound,
} from 'lucide-react';
import { keyOf, useCan } from '../api-query.ts';
import { useDebounced } from '../debounced.ts';
import { money } from '../format.ts';
import { nameOf } from '../pages/customers/customer-list.ts';
import { api, useTenant } from '../session.ts';
import { chooseTheme } from '../theme.ts';
import { navigation } from './navigation.ts';

export interface PaletteItem {
  readonly group: 'Customers' | 'Orders' | 'Products' | 'Go to' | 'Actions';
  readonly label: string;
  /** Beside the label. */
  readonly detail?: string | undefined;
  readonly Icon: LucideIcon;
  /** The page it opens, or what it does. */
  readonly target: string | (() => void);
}

interface Action extends Omit<PaletteItem, 'group'> {
  readonly permission?: string;
}

const actions: readonly Action[] = [
  { label: 'New order', Icon: ClipboardPlus, target: '/orders/new', permission: 'orders.create' },
  { label: 'New customer', Icon: UserPlus, target: '/customers/new', permission: 'customers.create' },
  { label: 'New product', Icon: PackagePlus, target: '/products/new', permission: 'products.create' },
  { label: 'Use the dark theme', Icon: Moon, target: () => chooseTheme('dark') },
  { label: 'Use the light theme', Icon: Sun, target: () => chooseTheme('light') },
];

const pages: readonly Action[] = [
  ...navigation.map(({ to, ...page }) => ({ ...page, target: to })),
  { label: 'Profile', Icon: UserRound, target: '/profile' },
  {
    label: 'Notification preferences',
    Icon: Settings2,
    target: '/notifications/preferences',
    permission: 'notifications.view',
  },
];

const pauseMs = 120;
const found = 5;

/** Pages and actions whose name has the words, and records that the platform finds. */
export function usePaletteItems(text: string): {
  readonly items: readonly PaletteItem[];
  readonly isSearching: boolean;
} {
  const can = useCan();
  const tenant = useTenant();
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const query = useDebounced(text.trim(), pauseMs);
  const records = useQuery({
    queryKey: keyOf(tenant, 'palette', query),
    queryFn: () => findRecords(query, can),
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
  });
  const matching = (group: 'Go to' | 'Actions', candidates: readonly Action[]): PaletteItem[] =>
    candidates
      .filter(({ label, permission }) => isMatch(label, words) && (permission === undefined || can(permission)))
      .map(({ permission: _, ...item }) => ({ ...item, group }));
  const isCurrent = text.trim().length > 1 && records.data !== undefined;
  return {
    items: [...(isCurrent ? records.data : []), ...matching('Go to', pages), ...matching('Actions', actions)],
    isSearching: text.trim().length > 1 && (records.isFetching || query !== text.trim()),
  };
}

function isMatch(label: string, words: readonly string[]): boolean {
  const name = label.toLowerCase();
  return words.every((word) => name.includes(word));
}

async function findRecords(text: string, can: (permission: string) => boolean): Promise<PaletteItem[]> {
  const client = api();
  const groups = await Promise.all([
    can('customers.view')
      ? client.customers.search({ q: text, limit: found }).then(({ customers }) => customers.map(ofCustomer))
      : [],
    can('orders.view')
      ? client.orders.list({ search: text, per_page: found }).then(({ orders }) => orders.map(ofOrder))
      : [],
    can('products.view')
      ? client.products.search({ q: text, limit: found }).then(({ products }) => products.map(ofProduct))
      : [],
  ]);
  return groups.flat();
}

type Customer = Parameters<typeof nameOf>[0];

function ofCustomer(customer: Customer): PaletteItem {
  const { id, email, phone } = customer;
  return {
    group: 'Customers',
    label: nameOf(customer),
    detail: phone ?? email ?? undefined,
    Icon: UserRound,
    target: `/customers/${id}`,
  };
}

function ofOrder(order: { id: string; order_number: string; total: string; currency: string }): PaletteItem {
  const { id, order_number, total, currency } = order;
  return {
    group: 'Orders',
    label: `Order ${order_number}`,
    detail: money(total, currency),
    Icon: ReceiptText,
    target: `/orders/${id}`,
  };
}

function ofProduct({ id, title, sku }: { id: string; title: string; sku: string }): PaletteItem {
  return { group: 'Products', label: title, detail: sku, Icon: Package, target: `/products/${id}` };
}
