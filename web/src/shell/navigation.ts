import {
  Bell,
  CodeXml,
  History,
  House,
  type LucideIcon,
  MessagesSquare,
  Package,
  ReceiptText,
  Settings,
  TicketPercent,
  TrendingUp,
  Users,
  UsersRound,
  Zap,
} from 'lucide-react';

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
    | '/team'
    | '/activity'
    | '/developers'
    | '/settings';
  readonly label: string;
  readonly icon: LucideIcon;
  /** Shown to those who have it, or one of them. */
  readonly permission?: string | readonly string[];
  /** Opens the page when it is typed after `g`. */
  readonly letter: string;
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
    to: '/settings',
    label: 'Settings',
    letter: 's',
    icon: Settings,
    permission: 'settings.view',
    isAdministration: true,
  },
];

export function isOffered(
  { permission = [] }: Pick<NavigationItem, 'permission'>,
  can: (permission: string) => boolean,
): boolean {
  return permission.length === 0 || [permission].flat().some(can);
}

/** The bottom bar of a phone has room for four items; the others are in a menu. */
export const onBottomBar = 4;
export const onPhoneLater: readonly string[] = [
  '/products',
  '/discounts',
  '/rules',
  '/team',
  '/activity',
  '/developers',
  '/settings',
];
