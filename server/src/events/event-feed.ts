import type { EventDefinition } from '@chowk/kit/kernel';
import type { PubSub } from '../pubsub/pubsub.ts';
import { Presence } from '../realtime/presence.ts';
import type { RegisteredListener } from './event-hub.ts';

export interface FeedRoom {
  readonly tenantId: string;
  readonly event: string;
  /** For an event with a recipient. */
  readonly userId?: number | undefined;
}

type Handler = (payload: unknown) => void;

const channel = 'events.feed';
const sweepMs = 10_000;
/** How long other processes may take to report their subscriptions. */
const answerMs = 1_000;
/** The member of a room of `Presence`: the process itself. */
const subscriber = JSON.stringify({ user_id: '' });

/**
 * Committed events for the sockets of all processes. Processes know the subscriptions of the others: an event without a
 * subscriber is neither stored nor published.
 */
export class EventFeed {
  readonly #pubsub: PubSub;
  readonly #events: Readonly<Record<string, EventDefinition>>;
  readonly #subscribedRooms: Presence;
  readonly #rooms = new Map<string, Set<Handler>>();
  #started: Promise<void> | undefined;
  #knowsOthersAt = Number.POSITIVE_INFINITY;
  #sweeping: NodeJS.Timeout | undefined;

  constructor(pubsub: PubSub, events: Iterable<Readonly<Record<string, EventDefinition>>>) {
    this.#pubsub = pubsub;
    this.#events = Object.assign({}, ...events);
    this.#subscribedRooms = new Presence(pubsub, 'events.wanted', { onJoin: () => {}, onLeave: () => {} });
  }

  /** Stores the events that have a subscriber, and publishes them in the order of the outbox. */
  listener(): RegisteredListener {
    return {
      module: 'graphql',
      name: 'feed',
      event: '*',
      when: 'after_commit',
      hasSubscriber: (tenantId, event) => this.hasSubscriber(tenantId, event),
      run: async ({ tenant }, payload, { name: event }) => {
        const userId = this.#events[event]?.recipient?.(payload);
        const room = roomName({ tenantId: tenant.id, event, userId });
        await this.#pubsub.publish(channel, JSON.stringify([room, payload]));
      },
    };
  }

  /** Whether a process may have a subscriber. */
  hasSubscriber(tenantId: string, event: string): boolean {
    if (this.#events[event]?.graphql === undefined) return false;
    void this.start().catch(() => {});
    return Date.now() < this.#knowsOthersAt || this.#subscribedRooms.hasMembers(roomName({ tenantId, event }));
  }

  /** The subscriptions in this process. */
  get subscribers(): number {
    return this.#rooms.values().reduce((sum, { size }) => sum + size, 0);
  }

  /** Returns the function that ends the subscription. */
  subscribe(room: FeedRoom, handler: Handler): () => void {
    const name = roomName(room);
    const subscribedRoom = roomName({ ...room, userId: undefined });
    const handlers = this.#rooms.get(name) ?? new Set();
    if (handlers.size === 0) this.#subscribedRooms.join(subscribedRoom, subscriber);
    this.#rooms.set(name, handlers.add(handler));
    return () => {
      if (!handlers.delete(handler) || handlers.size > 0) return;
      this.#rooms.delete(name);
      this.#subscribedRooms.leave(subscribedRoom, subscriber);
    };
  }

  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#subscribedRooms.close();
  }

  async #start(): Promise<void> {
    this.#sweeping = setInterval(() => this.#subscribedRooms.sweep(Date.now()), sweepMs).unref();
    await this.#pubsub.subscribe(channel, (text) => this.#receive(text));
    await this.#subscribedRooms.start();
    this.#knowsOthersAt = Date.now() + answerMs;
  }

  #receive(text: string): void {
    const [room, payload] = JSON.parse(text) as [string, unknown];
    for (const handler of this.#rooms.get(room) ?? []) handler(payload);
  }
}

function roomName({ tenantId, event, userId }: FeedRoom): string {
  return `${tenantId} ${event}${userId === undefined ? '' : ` ${userId}`}`;
}
