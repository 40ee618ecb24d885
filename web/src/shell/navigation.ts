import {
  Bell,
  House,
  type LucideIcon,
  MessagesSquare,
  Package,
  ReceiptText,
  Settings,
  TicketPercent,
  TrendingUp,
  Users,
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
    | '/settings';
  readonly label: string;
  readonly icon: LucideIcon;
  /** Shown to those who have it. */
  readonly permission?: string;
}

export const navigation: readonly NavigationItem[] = [
  { to: '/', label: 'Home', icon: House },
  { to: '/orders', label: 'Orders', icon: ReceiptText, permission: 'orders.view' },
  { to: '/customers', label: 'Customers', icon: Users, permission: 'customers.view' },
  { to: '/products', label: 'Products', icon: Package, permission: 'products.view' },
  { to: '/discounts', label: 'Discounts', icon: TicketPercent, permission: 'products.view' },
  { to: '/conversations', label: 'Conversations', icon: MessagesSquare, permission: 'conversations.view' },
  { to: '/reports', label: 'Reports', icon: TrendingUp, permission: 'reports.view' },
  { to: '/notifications', label: 'Notifications', icon: Bell, permission: 'notifications.view' },
  { to: '/rules', label: 'Rules', icon: Zap, permission: 'notifications.rules.manage' },
  { to: '/settings', label: 'Settings', icon: Settings, permission: 'settings.view' },
];

/** The bottom bar of a phone has room for four items; the others are in a menu. */
export const onBottomBar = 4;
export const onPhoneLater: readonly string[] = ['/products', '/discounts', '/rules', '/settings'];
