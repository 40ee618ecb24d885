import type { Conversation } from '@chowk/client';
import { Ellipsis, type LucideIcon, Mail, MessageCircle, MessageSquare, MessagesSquare, Phone } from 'lucide-react';
import type { Filter } from '../../list/filters.tsx';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import type { Tone } from '../../ui/status-pill.tsx';

export type Status = Conversation['status'];
export type Channel = Conversation['channel'];

export const channels: Readonly<Record<Channel, { readonly label: string; readonly icon: LucideIcon }>> = {
  email: { label: 'Email', icon: Mail },
  whatsapp: { label: 'WhatsApp', icon: MessageCircle },
  sms: { label: 'SMS', icon: MessageSquare },
  webchat: { label: 'Web chat', icon: MessagesSquare },
  phone: { label: 'Phone', icon: Phone },
  other: { label: 'Other', icon: Ellipsis },
};

export const statuses: Readonly<Record<Status, { readonly label: string; readonly tone: Tone }>> = {
  open: { label: 'Open', tone: 'info' },
  pending: { label: 'Pending', tone: 'warning' },
  closed: { label: 'Closed', tone: 'neutral' },
};

/** The filters besides the view and the search. */
export const filters: readonly Filter[] = [
  {
    key: 'channel',
    label: 'Channel',
    options: Object.entries(channels).map(([channel, { label }]) => [channel, label] as const),
  },
  { key: 'unread', label: 'Messages', options: [['true', 'Unread']] },
  { key: 'failed', label: 'Delivery', options: [['true', 'Not delivered']] },
  { key: 'snoozed', label: 'Snooze', options: [['true', 'Snoozed']] },
];

export const liveFields = [
  'conversationCreated',
  'conversationUpdated',
  'conversationMessageCreated',
  'conversationMessageUpdated',
  'conversationAssigned',
  'conversationStatusChanged',
  'conversationMerged',
  'conversationDeleted',
];

/** `until 19 Nov 2026, 9:00 am`. */
export function snoozeEnd(until: string | null): string {
  return `until ${until === null ? 'the customer writes' : exactTime(until)}`;
}

/** `5m`, `2h`, `3d`. */
export function durationSince(time: string): string {
  const text = relativeTime(time);
  return text === 'just now' ? '1m' : text.replace(' ago', '');
}

const hour = 3_600_000;

/** The longer a customer waits, the more it shows. */
export function waitingStyle(since: string): string {
  const age = Date.now() - Date.parse(since);
  return age >= 24 * hour ? 'text-error' : age >= hour ? 'text-warning' : 'text-secondary';
}
