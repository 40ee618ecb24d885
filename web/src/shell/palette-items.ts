import type { Customer } from '@chowk/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  ArrowLeftRight,
  BookOpen,
  ClipboardPlus,
  LogOut,
  type LucideIcon,
  MessageSquarePlus,
  Moon,
  Package,
  PackagePlus,
  ReceiptText,
  Settings2,
  Shield,
  SquarePen,
  Store,
  Sun,
  Tags,
  TicketPercent,
  UserPlus,
  UserRound,
  Zap,
} from 'lucide-react';
import { keys } from '../api/query-keys.ts';
import { tenantKey, useCan } from '../api/use-api.ts';
import { money } from '../format/numbers.ts';
import { formatPhone } from '../format/phone.ts';
import { customerName } from '../people/customer-name.ts';
import { api, signOut, useTenant } from '../session/session.ts';
import { useDebounced } from '../state/debounced.ts';
import { chooseTheme } from '../theme.ts';
import { isOffered, type NavigationItem, navigation } from './navigation.ts';

export interface PaletteItem {
  readonly group: 'Customers' | 'Orders' | 'Products' | 'Go to' | 'Actions';
  readonly label: string;
  /** Beside the label. */
  readonly detail?: string | undefined;
  /** The keys that open the page without the palette. */
  readonly keys?: string;
  readonly icon: LucideIcon;
  /** The page it opens, or what it does. */
  readonly target: string | (() => void);
}

interface Action extends Omit<PaletteItem, 'group'>, Pick<NavigationItem, 'permission'> {}

const actions: readonly Action[] = [
  { label: 'New order', icon: ClipboardPlus, target: '/orders/new', permission: 'orders.create' },
  { label: 'New customer', icon: UserPlus, target: '/customers/new', permission: 'customers.create' },
  { label: 'New product', icon: PackagePlus, target: '/products/new', permission: 'products.create' },
  { label: 'New collection', icon: Tags, target: '/products/collections/new', permission: 'products.create' },
  { label: 'New discount', icon: TicketPercent, target: '/discounts/new', permission: 'products.edit' },
  {
    label: 'New conversation',
    icon: MessageSquarePlus,
    target: '/conversations/new',
    permission: 'conversations.reply',
  },
  { label: 'Invite a colleague', icon: UserPlus, target: '/team/invitations?open=new', permission: 'team.invite' },
  { label: 'Use the dark theme', icon: Moon, target: () => chooseTheme('dark') },
  { label: 'Use the light theme', icon: Sun, target: () => chooseTheme('light') },
  { label: 'Sign out', icon: LogOut, target: signOut },
];

const pages: readonly Action[] = [
  ...navigation.map(({ to, label, icon, permission, letter }) => ({
    label,
    icon,
    keys: `G ${letter.toUpperCase()}`,
    target: to,
    ...(permission && { permission }),
  })),
  { label: 'Draft orders', icon: SquarePen, target: '/orders/drafts', permission: 'orders.create' },
  { label: 'Collections', icon: Tags, target: '/products/collections', permission: 'products.view' },
  { label: 'Move stock', icon: ArrowLeftRight, target: '/products/transfer', permission: 'products.edit' },
  { label: 'Stock locations', icon: Store, target: '/products/locations', permission: 'products.view' },
  { label: 'Roles', icon: Shield, target: '/team/roles', permission: 'team.roles.view' },
  { label: 'Webhooks', icon: Zap, target: '/developers/webhooks', permission: 'settings.api_clients' },
  { label: 'API reference', icon: BookOpen, target: () => location.assign('/docs/') },
  { label: 'Profile', icon: UserRound, target: '/profile' },
  {
    label: 'Notification preferences',
    icon: Settings2,
    target: '/notifications/preferences',
    permission: 'notifications.view',
  },
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
  const tenant = useTenant();
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const query = useDebounced(text.trim(), pauseMs);
  const records = useQuery({
    queryKey: tenantKey(tenant, keys.palette(query)),
    queryFn: () => findRecords(query, can),
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
  });
  const matching = (group: 'Go to' | 'Actions', candidates: readonly Action[]): PaletteItem[] =>
    candidates
      .filter((candidate) => isMatch(candidate.label, words) && isOffered(candidate, can))
      .map(({ permission: _, ...item }) => ({ ...item, group }));
  const isLongEnough = text.trim().length > 1;
  const isSearching = isLongEnough && (records.isFetching || query !== text.trim());
  return {
    items: [...((isLongEnough && records.data) || []), ...matching('Go to', pages), ...matching('Actions', actions)],
    isSearching,
    hasFailed: isLongEnough && !isSearching && records.isError,
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
