import type { ConsoleEntry } from '@chowk/client';
import {
  Bell,
  ClipboardPlus,
  CodeXml,
  History,
  House,
  type LucideIcon,
  MessagesSquare,
  Package,
  ReceiptText,
  Server,
  Settings,
  Store,
  Tag,
  TicketPercent,
  TrendingUp,
  Users,
  UsersRound,
  Zap,
} from 'lucide-react';
import { namedIcons } from '../ui/named-icons.ts';

export interface NavigationItem {
  readonly to:
    | '/'
    | '/orders'
    | '/customers'
    | '/products'
    | '/discounts'
    | '/conversations'
    | '/reports'
    | '/notifications'
    | '/rules'
    | '/applications'
    | '/codes'
    | '/tenants'
    | '/team'
    | '/activity'
    | '/developers'
    | '/platform'
    | '/settings';
  readonly label: string;
  readonly icon: LucideIcon;
  /** Shown to those who have it, or one of them. */
  readonly permission?: string | readonly string[];
  /** Shown only in tenants of this kind. */
  readonly tenantRole?: 'platform_owner' | 'reseller';
  /** Opens the page when it is typed after `g`. */
  readonly letter?: string;
  /** About the organization itself, below a line. */
  readonly isAdministration?: true;
}

export const navigation: readonly NavigationItem[] = [
  { to: '/', label: 'Home', letter: 'h', icon: House },
  { to: '/orders', label: 'Orders', letter: 'o', icon: ReceiptText, permission: 'orders.view' },
  { to: '/customers', label: 'Customers', letter: 'c', icon: Users, permission: 'customers.view' },
  { to: '/products', label: 'Products', letter: 'p', icon: Package, permission: 'products.view' },
  { to: '/discounts', label: 'Discounts', letter: 'd', icon: TicketPercent, permission: 'products.view' },
  { to: '/conversations', label: 'Conversations', letter: 'm', icon: MessagesSquare, permission: 'conversations.view' },
  { to: '/reports', label: 'Reports', letter: 'r', icon: TrendingUp, permission: 'reports.view' },
  { to: '/notifications', label: 'Notifications', letter: 'n', icon: Bell, permission: 'notifications.view' },
  { to: '/rules', label: 'Rules', letter: 'u', icon: Zap, permission: 'notifications.rules.manage' },
  {
    to: '/applications',
    label: 'Applications',
    letter: 'l',
    icon: ClipboardPlus,
    permission: 'reseller.applications.view',
  },
  { to: '/codes', label: 'Referral codes', letter: 'f', icon: Tag, permission: 'reseller.referral_codes.manage' },
  {
    to: '/tenants',
    label: 'Tenants',
    letter: 'y',
    icon: Store,
    permission: ['reseller.tenants.view', 'reseller.catalogue.manage'],
    tenantRole: 'reseller',
  },
  { to: '/team', label: 'Team', letter: 't', icon: UsersRound, permission: 'team.view', isAdministration: true },
  {
    to: '/activity',
    label: 'Activity',
    letter: 'a',
    icon: History,
    permission: ['audit.view', 'activity.view'],
    isAdministration: true,
  },
  {
    to: '/developers',
    label: 'Developers',
    letter: 'e',
    icon: CodeXml,
    permission: 'settings.api_clients',
    isAdministration: true,
  },
  {
    to: '/platform',
    label: 'Platform',
    letter: 'v',
    icon: Server,
    permission: 'platform.rings.view',
    tenantRole: 'platform_owner',
    isAdministration: true,
  },
  {
    to: '/settings',
    label: 'Settings',
    letter: 's',
    icon: Settings,
    permission: 'settings.view',
    isAdministration: true,
  },
];

/** With the pages that modules bring, before those about the organization. */
export function withModulePages(entries: readonly ConsoleEntry[]): readonly NavigationItem[] {
  const pages = entries.map(
    ({ module, name, title, icon }): NavigationItem => ({
      // A whole address; the router knows its pattern.
      to: `/modules/${module}/${name}` as NavigationItem['to'],
      label: title,
      icon: namedIcons[icon] ?? Package,
    }),
  );
  const first = navigation.findIndex(({ isAdministration }) => isAdministration);
  return navigation.toSpliced(first, 0, ...pages);
}

export function isOffered(
  { permission = [], tenantRole }: Pick<NavigationItem, 'permission' | 'tenantRole'>,
  can: (permission: string) => boolean,
  currentRole: string | undefined,
): boolean {
  if (tenantRole !== undefined && tenantRole !== currentRole) return false;
  return permission.length === 0 || [permission].flat().some(can);
}

/** The bottom bar of a phone has room for four items; the others are in a menu. */
export const onBottomBar = 4;
export const onPhoneLater: readonly string[] = [
  '/products',
  '/discounts',
  '/rules',
  '/applications',
  '/codes',
  '/tenants',
  '/team',
  '/activity',
  '/developers',
  '/platform',
  '/settings',
];
