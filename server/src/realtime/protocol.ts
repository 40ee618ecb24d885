/* The Pusher Channels protocol, version 7: https://pusher.com/docs/channels/library_auth_reference/pusher-websockets-protocol */

/**
 * Codes of errors and of closed connections. Clients do not reconnect after 4000 to 4099, reconnect after a pause from
 * 4100 and at once from 4200.
 */
export const codes = {
  unknownKey: 4001,
  unsupportedProtocol: 4007,
  unauthorized: 4009,
  overCapacity: 4100,
  reconnect: 4200,
  noPong: 4201,
  clientEventRefused: 4301,
} as const;

export type Code = (typeof codes)[keyof typeof codes];

/** In seconds. A client that has received nothing for this long sends a ping. Proxies often close after 60. */
export const activityTimeout = 30;

export const maxMessageBytes = 16 * 1024;

export interface ClientMessage {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `undefined` if the text is not a message of the protocol. */
export function parseMessage(text: string): ClientMessage | undefined {
  const message = parseObject(text);
  if (typeof message?.event !== 'string') return undefined;
  const { event, data = {} } = message;
  // Some clients send the data as JSON in a string.
  const fields = typeof data === 'string' ? parseObject(data) : data;
  return isObject(fields) ? { event, data: fields } : undefined;
}

export function formatEvent(event: string, data: object, channel?: string): string {
  return JSON.stringify({ event, channel, data: JSON.stringify(data) });
}

export function formatError(message: string, code?: Code): string {
  return JSON.stringify({ event: 'pusher:error', data: { message, code: code ?? null } });
}

export function isChannelName(name: unknown): name is string {
  return typeof name === 'string' && /^[\w=@,.;-]{1,164}$/.test(name);
}

export function isPresence(channel: string): boolean {
  return channel.startsWith('presence-');
}

export function needsGrant(channel: string): boolean {
  return channel.startsWith('private-') || isPresence(channel);
}

/** The permission of the members that may subscribe; `undefined`: all. The channel of a user carries their notifications. */
export function permissionFor(channel: string): string | undefined {
  if (channel.startsWith('private-user.')) return 'notifications.view';
  const resource = findResource(channel);
  return resource === undefined ? undefined : `${resource}.view`;
}

/** `conversations` for `presence-conversations.{id}`, the channel of the members who look at one of them. */
export function findResource(channel: string): string | undefined {
  return /^presence-([a-z]+)\.[\w-]+$/.exec(channel)?.[1];
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
