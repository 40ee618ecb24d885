import {
  ArrowLeftRight,
  BookOpen,
  ClipboardPlus,
  type LucideIcon,
  MessageSquarePlus,
  Package,
  PackagePlus,
  Settings2,
  Shield,
  SquarePen,
  Store,
  Tag,
  Tags,
  TicketPercent,
  UserPlus,
  UserRound,
  Zap,
} from 'lucide-react';
import { navigation } from './navigation.ts';
import type { Command } from './palette-item.ts';
import { settingsSections } from './settings-index.ts';
import { activityTabs, developerTabs, platformTabs, teamTabs } from './tabs.ts';

/* What the palette offers besides the navigation. */

/** The pages behind the tabs of a page, for those who may open it. */
function tabPages(
  tabs: readonly { readonly to: string; readonly label: string; readonly permission: string | undefined }[],
): readonly Command[] {
  return tabs.slice(1).flatMap(({ to, label, permission }) => {
    const page = navigation.find((one) => one.to === tabs[0]?.to);
    if (!page) return [];
    const needed = permission ?? page.permission;
    return {
      label: `${page.label}: ${label}`,
      icon: page.icon,
      target: to,
      ...(needed && { permission: needed }),
      ...(page.tenantRole && { tenantRole: page.tenantRole }),
    };
  });
}

export const pages: readonly Command[] = [
  { label: 'Draft orders', icon: SquarePen, target: '/orders/drafts', permission: 'orders.create' },
  { label: 'Collections', icon: Tags, target: '/products/collections', permission: 'products.view' },
  { label: 'Move stock', icon: ArrowLeftRight, target: '/products/transfer', permission: 'products.edit' },
  { label: 'Stock locations', icon: Store, target: '/products/locations', permission: 'products.view' },
  ...[teamTabs, activityTabs, developerTabs, platformTabs].flatMap(tabPages),
  ...settingsSections.flatMap((section) => section.pages.map(settingsPage)),
  { label: 'API reference', icon: BookOpen, target: () => location.assign('/docs/') },
  { label: 'Profile', icon: UserRound, target: '/profile' },
  {
    label: 'Notification preferences',
    icon: Settings2,
    target: '/notifications/preferences',
    permission: 'notifications.view',
  },
];

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly permission?: string;
}

function settingsPage({ key, title, icon, permission = 'settings.view' }: Entry): Command {
  return { label: `Settings: ${title}`, icon, target: `/settings/${key}`, permission };
}

export const actions: readonly Command[] = [
  { label: 'New order', icon: ClipboardPlus, target: '/orders/new', permission: 'orders.create' },
  { label: 'New customer', icon: UserPlus, target: '/customers/new', permission: 'customers.create' },
  { label: 'New product', icon: PackagePlus, target: '/products/new', permission: 'products.create' },
  { label: 'Import products', icon: Package, target: '/products/import', permission: 'products.import' },
  { label: 'New collection', icon: Tags, target: '/products/collections/new', permission: 'products.create' },
  { label: 'New discount', icon: TicketPercent, target: '/discounts/new', permission: 'products.edit' },
  {
    label: 'New conversation',
    icon: MessageSquarePlus,
    target: '/conversations/new',
    permission: 'conversations.reply',
  },
  { label: 'New rule', icon: Zap, target: '/rules/new', permission: 'notifications.rules.manage' },
  { label: 'New referral code', icon: Tag, target: '/codes/new', permission: 'reseller.referral_codes.manage' },
  { label: 'Invite a colleague', icon: UserPlus, target: '/team/invitations?open=new', permission: 'team.invite' },
  { label: 'New role', icon: Shield, target: '/team/roles/new', permission: 'team.roles.manage' },
  { label: 'New webhook', icon: Zap, target: '/developers/webhooks/new', permission: 'settings.api_clients' },
];
