import { Bell, House, type LucideIcon, MessagesSquare, Package, ReceiptText, Users } from 'lucide-react';

export interface NavigationItem {
  readonly to: '/' | '/orders' | '/customers' | '/products' | '/conversations' | '/notifications';
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Shown to those who have it. */
  readonly permission?: string;
}

export const navigation: readonly NavigationItem[] = [
  { to: '/', label: 'Home', Icon: House },
  { to: '/orders', label: 'Orders', Icon: ReceiptText, permission: 'orders.view' },
  { to: '/customers', label: 'Customers', Icon: Users, permission: 'customers.view' },
  { to: '/products', label: 'Products', Icon: Package, permission: 'products.view' },
  { to: '/conversations', label: 'Conversations', Icon: MessagesSquare, permission: 'conversations.view' },
  { to: '/notifications', label: 'Notifications', Icon: Bell, permission: 'notifications.view' },
];

/** The bottom bar of a phone has room for four and the rest: what one does on the way comes first. */
export const onBottomBar = 4;
export const onPhoneLater: readonly string[] = ['/products'];
