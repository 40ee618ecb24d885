import type { NotificationRule } from '@chowk/client';
import { Bell, type LucideIcon, Mail, MessageCircle, MessageSquare } from 'lucide-react';
import type { Filter } from '../../list/filters.tsx';
import type { ViewList } from '../../list/view-filters.ts';
import { pick } from '../../routing/search-params.ts';

export type Channel = NotificationRule['channel'];

export const channels: Readonly<Record<Channel, { readonly label: string; readonly icon: LucideIcon }>> = {
  email: { label: 'Email', icon: Mail },
  sms: { label: 'SMS', icon: MessageSquare },
  whatsapp: { label: 'WhatsApp', icon: MessageCircle },
  in_app: { label: 'Notification', icon: Bell },
};

export const filters: readonly Filter[] = [
  {
    key: 'channel',
    label: 'Channel',
    options: Object.entries(channels).map(([channel, { label }]) => [channel, label] as const),
  },
];

export const views = [
  { label: 'All', search: {} },
  { label: 'On', search: { is_active: 'true' } },
  { label: 'Off', search: { is_active: 'false' } },
];

const searchKeys: readonly string[] = ['search', 'sort_by', 'sort_order', 'is_active', 'channel'];

export const viewList: ViewList = {
  action: 'notifications.listRules',
  fields: searchKeys,
  types: { is_active: 'boolean' },
};

/** That of the list, without what belongs to an open rule. */
export const listSearch = pick(...searchKeys);
