import type { Identity, IdentityChange, Log, Secrets } from '@chowk/kit/kernel';
import type { RawData, WebSocket } from 'ws';
import type { Signals } from '../db/signals.ts';
import type { PubSub } from '../pubsub/pubsub.ts';
import type { Directory, TenantEntry } from '../tenancy/directory.ts';
import { Connection } from './connection.ts';
import { formatAuth, type Grant, readAuth } from './grant.ts';
import { Presence } from './presence.ts';
import {
  activityTimeout,
  type ClientMessage,
  type Code,
  codes,
  formatError,
  formatEvent,
  isChannelName,
  isPresence,
  needsGrant,
  parseMessage,
  permissionFor,
} from './protocol.ts';
import { SocketCounts } from './socket-counts.ts';

/** An event for the sockets of a tenant that subscribe to the channel. */
export interface Broadcast {
  readonly tenantId: string;
  readonly channel: string;
  readonly event: string;
  readonly data: object;
}

interface RealtimeOptions {
  readonly pubsub: PubSub;
  readonly signals: Signals;
  readonly directory: Directory;
  readonly identity: Identity;
  readonly secrets: Secrets;
  readonly log: Log;
  /** How many sockets a network may have in this process. */
  readonly socketsPerNetwork: number;
}

/** The parameters of a connecting client. */
export interface Handshake {
  readonly key: string;
  readonly protocol: string | undefined;
  /** The tenant of the host, if it names one; else the first private channel decides. */
  readonly tenant: TenantEntry | undefined;
  readonly network: string;
}

const eventChannel = 'realtime.events';
const sweepMs = 10_000;
/** A client that sends nothing for this long gets a ping; after twice as long it is disconnected. */
const pingAfterMs = 2 * activityTimeout * 1_000;
const maxMessagesPerSweep = 500;
const maxSubscriptions = 100;
export const tooManySockets: [Code, string] = [
  codes.overCapacity,
  'Your network has too many sockets; try again later.',
];

/** The sockets of this process, and events to the sockets of all processes. */
export class Realtime {
  /** Public: it identifies the installation, as the key of a Pusher app does. */
  readonly key: string;
  readonly #options: RealtimeOptions;
  readonly #connections = new Map<string, Connection>();
  /** The connections that subscribe to a channel of a tenant. */
  readonly #rooms = new Map<string, Set<Connection>>();
  /** The open sockets of all protocols. */
  readonly sockets: SocketCounts;
  readonly #presence: Presence;
  #started: Promise<void> | undefined;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: RealtimeOptions) {
    this.#options = options;
    this.sockets = new SocketCounts(options.socketsPerNetwork);
    this.key = Buffer.from(options.secrets.sign('realtime key', ''), 'base64url').toString('hex').slice(0, 20);
    this.#presence = new Presence(options.pubsub, 'realtime.presence', {
      onJoin: (room, data) => this.#send(room, memberEvent('pusher_internal:member_added', room, data)),
      onLeave: (room, userId) => {
        this.#send(room, memberEvent('pusher_internal:member_removed', room, JSON.stringify({ user_id: userId })));
      },
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Receives events and revocations from now on. Only processes with sockets call it. */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Serializes the event once, for all sockets of all processes. */
  async broadcast({ tenantId, channel, event, data }: Broadcast): Promise<void> {
    const frame = formatEvent(event, { ...data, tenant_id: tenantId }, channel);
    await this.#options.pubsub.publish(eventChannel, JSON.stringify([roomName(tenantId, channel), frame]));
  }

  /** The `auth` with which the client subscribes. */
  authFor(grant: Grant): string {
    return formatAuth(this.#options.secrets, this.key, grant);
  }

  /** Takes over a connected socket. */
  accept(socket: WebSocket, handshake: Handshake): Connection {
    const connection = new Connection(socket, handshake.tenant);
    socket.on('error', () => {});
    const refusal = this.#findRefusal(handshake);
    const release = refusal ? undefined : this.sockets.take(handshake.network);
    if (!release) {
      connection.close(...(refusal ?? tooManySockets));
      return connection;
    }
    this.#connections.set(connection.id, connection);
    socket.on('message', (data, isBinary) => this.#receive(connection, data, isBinary));
    socket.on('close', () => {
      this.#remove(connection);
      release();
    });
    this.#sweeping ??= setInterval(() => void this.sweep(), sweepMs).unref();
    connection.establish();
    return connection;
  }

  /** Finds idle clients, ended sessions and dead processes. Runs every ten seconds; tests call it with a later time. */
  async sweep(now = Date.now()): Promise<void> {
    this.#presence.sweep(now);
    for (const connection of this.#connections.values()) {
      connection.messages = 0;
      const idleMs = now - connection.lastSeenAt;
      if (idleMs > 2 * pingAfterMs) connection.close(codes.noPong, 'The client did not answer a ping.');
      else if (idleMs > pingAfterMs) connection.send(formatEvent('pusher:ping', {}));
    }
    // Sessions also end by time, without a notification.
    await this.#recheckAffected({});
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#presence.close();
  }

  async #start(): Promise<void> {
    const { pubsub, identity, signals } = this.#options;
    await pubsub.subscribe(eventChannel, (text) => this.#send(...(JSON.parse(text) as [string, string])));
    await this.#presence.start();
    identity.onChange((change) => void this.#recheckAffected(change));
    await signals.listen('chowk_tenant', {
      onNotify: (tenantId) => void this.#recheckAffected({ tenantId }),
      onConnectionChange: (isConnected) => isConnected && void this.#recheckAffected({}),
    });
  }

  #findRefusal({ key, protocol = '7' }: Handshake): [Code, string] | undefined {
    if (key !== this.key) return [codes.unknownKey, 'There is no app with this key.'];
    if (protocol !== '7') return [codes.unsupportedProtocol, 'Only version 7 of the protocol is supported.'];
    return undefined;
  }

  #receive(connection: Connection, data: RawData, isBinary: boolean): void {
    if (connection.isClosed) return;
    connection.lastSeenAt = Date.now();
    connection.messages += 1;
    if (connection.messages > maxMessagesPerSweep) {
      connection.close(codes.overCapacity, 'The client sends too many messages.');
      return;
    }
    const message = isBinary ? undefined : parseMessage(String(data));
    if (message) this.#handle(connection, message);
    else connection.send(formatError('The message is not valid.'));
  }

  #handle(connection: Connection, { event, data }: ClientMessage): void {
    if (event === 'pusher:ping') connection.send(formatEvent('pusher:pong', {}));
    else if (event === 'pusher:pong') return;
    else if (event === 'pusher:subscribe') void this.#subscribe(connection, data);
    else if (event === 'pusher:unsubscribe') this.#unsubscribe(connection, String(data.channel));
    else if (event.startsWith('client-')) {
      connection.send(formatError('Client events are not enabled.', codes.clientEventRefused));
    } else connection.send(formatError('The event is not supported.'));
  }

  async #subscribe(connection: Connection, { channel, auth, channel_data }: ClientMessage['data']): Promise<void> {
    if (!isChannelName(channel)) return connection.send(formatError('The name of the channel is not valid.'));
    const { subscriptions } = connection;
    if (subscriptions.size >= maxSubscriptions && !subscriptions.has(channel)) {
      return connection.send(formatError(`A socket can subscribe to at most ${maxSubscriptions} channels.`));
    }
    try {
      if (!needsGrant(channel)) return this.#join(connection, channel, undefined);
      const channelData = typeof channel_data === 'string' ? channel_data : undefined;
      const grant = readAuth(this.#options.secrets, auth, { socketId: connection.id, channel, channelData });
      if (grant && (await this.#authorizeGrant(connection, grant))) return;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'could not check a subscription');
      return connection.close(codes.overCapacity, 'The subscription could not be checked; try again.');
    }
    connection.send(formatError(`The subscription to ${channel} is not authorized.`, codes.unauthorized));
  }

  /** Joins the channel of the grant if its session, membership, permission and tenant are still valid. */
  async #authorizeGrant(connection: Connection, grant: Grant): Promise<boolean> {
    const tenant = await this.#options.directory.find(grant.tenantId);
    if (!tenant || !(await this.#isValid(grant))) return false;
    if (connection.isClosed) return true;
    if (connection.tenant && connection.tenant.id !== tenant.id) return false;
    if (!connection.tenant) this.#bind(connection, tenant);
    this.#join(connection, grant.channel, grant);
    // A revocation that arrived meanwhile did not find the subscription.
    await this.#recheck(connection);
    return true;
  }

  /** From now on the connection receives the events of this tenant only. */
  #bind(connection: Connection, tenant: TenantEntry): void {
    connection.tenant = tenant;
    for (const channel of connection.subscriptions.keys()) this.#enter(roomName(tenant.id, channel), connection);
  }

  #join(connection: Connection, channel: string, grant: Grant | undefined): void {
    const { tenant, subscriptions } = connection;
    const room = tenant && roomName(tenant.id, channel);
    const earlier = subscriptions.get(channel)?.grant;
    if (earlier?.channelData !== grant?.channelData) this.#unsubscribe(connection, channel);
    const isNew = !subscriptions.has(channel);
    subscriptions.set(channel, { grant });
    // Before the connection enters the room: it does not receive its own join.
    if (room && isNew && grant?.channelData) this.#presence.join(room, grant.channelData);
    if (room) this.#enter(room, connection);
    const members = room && isPresence(channel) ? this.#presence.listMembers(room) : {};
    connection.send(formatEvent('pusher_internal:subscription_succeeded', members, channel));
  }

  #enter(room: string, connection: Connection): void {
    this.#rooms.set(room, (this.#rooms.get(room) ?? new Set()).add(connection));
  }

  #unsubscribe(connection: Connection, channel: string): void {
    const { tenant, subscriptions } = connection;
    const subscription = subscriptions.get(channel);
    if (!subscription) return;
    subscriptions.delete(channel);
    if (!tenant) return;
    const room = roomName(tenant.id, channel);
    const members = this.#rooms.get(room);
    members?.delete(connection);
    if (members?.size === 0) this.#rooms.delete(room);
    if (subscription.grant?.channelData) this.#presence.leave(room, subscription.grant.channelData);
  }

  #remove(connection: Connection): void {
    connection.isClosed = true;
    this.#connections.delete(connection.id);
    for (const channel of [...connection.subscriptions.keys()]) this.#unsubscribe(connection, channel);
  }

  #send(room: string, frame: string): void {
    const connections = this.#rooms.get(room);
    if (!connections) return;
    const bytes = Buffer.from(frame);
    for (const connection of connections) connection.send(bytes);
  }

  async #recheckAffected(change: IdentityChange): Promise<void> {
    try {
      for (const connection of this.#connections.values()) {
        if (connection.isAffectedBy(change)) await this.#recheck(connection);
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'could not check sockets; the next sweep does');
    }
  }

  /** Closes the connection if a session, membership or tenant that it depends on has ended, or the ring has changed. */
  async #recheck(connection: Connection): Promise<void> {
    const { tenant } = connection;
    if (!tenant) return;
    const current = await this.#options.directory.find(tenant.id);
    if (current && current.ring !== tenant.ring) {
      return this.#end(connection, codes.reconnect, 'The tenant has moved to another ring.');
    }
    const grants = connection.grantsInUse();
    const valid = current && (await Promise.all(grants.map((grant) => this.#isValid(grant))));
    if (!valid?.every(Boolean)) this.#end(connection, codes.unauthorized, 'The access has been revoked.');
  }

  /** No event is sent after this, even if the client delays the end of the connection. */
  #end(connection: Connection, code: Code, message: string): void {
    connection.close(code, message);
    this.#remove(connection);
  }

  async #isValid({ sessionId, userId, tenantId, channel }: Grant): Promise<boolean> {
    const { identity } = this.#options;
    const caller = await identity.session(sessionId);
    if (caller?.id !== userId) return false;
    const membership = await identity.membership(caller, tenantId);
    const permission = permissionFor(channel);
    return membership !== undefined && (permission === undefined || membership.permissions.has(permission));
  }
}

function roomName(tenantId: string, channel: string): string {
  return `${tenantId} ${channel}`;
}

function memberEvent(event: string, room: string, data: string): string {
  return JSON.stringify({ event, channel: room.slice(room.indexOf(' ') + 1), data });
}
