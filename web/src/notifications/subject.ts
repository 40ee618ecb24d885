import type { Notification } from '@chowk/client';

type Subject = 'order' | 'conversation' | 'customer';

const paths: Readonly<Record<Subject, string>> = {
  conversation: '/conversations',
  order: '/orders',
  customer: '/customers',
};
const subjects = Object.keys(paths) as Subject[];

/** The path of what a notification is about: a conversation, an order, a customer, or the page that it names. */
export function subjectPath({ data, action_url }: Pick<Notification, 'data' | 'action_url'>): string | undefined {
  for (const source of idSources(data)) {
    for (const subject of subjects) {
      const id = source[`${subject}_id`];
      if (typeof id === 'string' || typeof id === 'number') return `${paths[subject]}/${encodeURIComponent(id)}`;
    }
  }
  // Not another site: `//host` is one.
  return action_url !== null && /^\/(?![/\\])/.test(action_url) ? inConsole(action_url) : undefined;
}

/** Where senders put ids: in the data, or in the data of the message that carries it. */
function idSources(data: unknown): Readonly<Record<string, unknown>>[] {
  const { data: inner, notification } = toRecord(data);
  return [toRecord(data), toRecord(inner), toRecord(toRecord(notification).data)];
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The address of another client may have more before the record: `/shop/orders/42/view`. */
function inConsole(url: string): string {
  const [, kind, id] = /\/(orders|conversations|customers)\/([\w-]+)/.exec(url) ?? [];
  return kind === undefined || url.startsWith(`/${kind}/`) ? url : `/${kind}/${id}`;
}
