import type { Notification } from '@chowk/client';
import {
  CircleAlert,
  CircleCheck,
  Info,
  type LucideIcon,
  MessageSquare,
  Package,
  Settings,
  Shield,
  ShoppingCart,
  TriangleAlert,
  Users,
  Zap,
} from 'lucide-react';
import { Icon } from '../ui/icon.tsx';
import { namedIcons } from '../ui/named-icons.ts';

/** By the first part of the type, for notifications that name no icon. */
const byCategory: Readonly<Record<string, LucideIcon>> = {
  order: ShoppingCart,
  product: Package,
  customer: Users,
  team: Users,
  conversation: MessageSquare,
  settings: Settings,
  security: Shield,
  rule: Zap,
};

const bySeverity: Readonly<Record<Notification['severity'], LucideIcon>> = {
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  error: CircleAlert,
};

const colors: Readonly<Record<Notification['severity'], string>> = {
  info: 'bg-info-tint text-info',
  success: 'bg-success-tint text-success',
  warning: 'bg-warning-tint text-warning',
  error: 'bg-error-tint text-error',
};

export function NotificationIcon({ notification }: { readonly notification: Notification }) {
  const { icon: name, type, severity } = notification;
  const icon = namedIcons[name ?? ''] ?? byCategory[type.split('.', 1)[0] ?? ''] ?? bySeverity[severity];
  return (
    <span className={`grid size-8 shrink-0 place-items-center rounded-full ${colors[severity]}`}>
      <Icon icon={icon} />
      {severity !== 'info' && <span className="sr-only">{severity}</span>}
    </span>
  );
}
