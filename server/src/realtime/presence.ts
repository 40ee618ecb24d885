import { randomUUID } from 'node:crypto';
import type { PubSub } from '../pubsub/pubsub.ts';

/** The sockets of one user in a room, in one process. */
interface Entry {
  readonly room: string;
  readonly userId: string;
  /** The member as JSON: `user_id` and `user_info`. */
  readonly data: string;
  readonly sockets: number;
}

/** Between processes: one changed entry, all entries of the process, or a request for those of the others. */
type Message = { readonly process: string } & (
  | { readonly entry: Entry }
  | { readonly all: readonly Entry[] }
  | { readonly hello: true }
);

interface Member {
  readonly data: string;
  /** By process. */
  readonly sockets: Map<string, number>;
}

export interface PresenceListener {
  onJoin(room: string, data: string): void;
  onLeave(room: string, userId: string): void;
}

/** A process that sends nothing for this long has died, and its members have left. */
const processTimeoutMs = 45_000;

/** Who is in which room, over all processes. Each process repeats its entries, so that a lost message does not last. */
export class Presence {
  readonly #pubsub: PubSub;
  readonly #channel: string;
  readonly #listener: PresenceListener;
  readonly #process = randomUUID();
  readonly #rooms = new Map<string, Map<string, Member>>();
  /** When the last message of each other process arrived, in milliseconds since 1970. */
  readonly #processes = new Map<string, number>();

  /** Processes exchange messages over the channel. */
  constructor(pubsub: PubSub, channel: string, listener: PresenceListener) {
    this.#pubsub = pubsub;
    this.#channel = channel;
    this.#listener = listener;
  }

  async start(): Promise<void> {
    await this.#pubsub.subscribe(this.#channel, (text) => this.#receive(JSON.parse(text)));
    await this.#publish({ process: this.#process, hello: true });
  }

  hasMembers(room: string): boolean {
    return this.#rooms.has(room);
  }

  /** The members for `subscription_succeeded`. */
  listMembers(room: string) {
    const members = [...(this.#rooms.get(room)?.entries() ?? [])];
    const hash = Object.fromEntries(members.map(([id, { data }]) => [id, JSON.parse(data).user_info]));
    return { presence: { count: members.length, ids: members.map(([id]) => id), hash } };
  }

  join(room: string, data: string): void {
    this.#count(room, data, 1);
  }

  leave(room: string, data: string): void {
    this.#count(room, data, -1);
  }

  /** Repeats the entries of this process, and drops those of dead processes. */
  sweep(now: number): void {
    for (const [process, heardAt] of this.#processes) {
      if (now - heardAt > processTimeoutMs) this.#replace(process, []);
    }
    const all = this.#listEntries(this.#process);
    if (all.length > 0) void this.#publish({ process: this.#process, all });
  }

  async close(): Promise<void> {
    if (this.#listEntries(this.#process).length > 0) await this.#publish({ process: this.#process, all: [] });
  }

  #count(room: string, data: string, change: number): void {
    const userId: string = JSON.parse(data).user_id;
    const sockets = (this.#rooms.get(room)?.get(userId)?.sockets.get(this.#process) ?? 0) + change;
    const entry = { room, userId, data, sockets };
    this.#apply(this.#process, entry);
    void this.#publish({ process: this.#process, entry });
  }

  #receive(message: Message): void {
    const { process } = message;
    if (process === this.#process) return;
    this.#processes.set(process, Date.now());
    if ('entry' in message) this.#apply(process, message.entry);
    else if ('all' in message) this.#replace(process, message.all);
    else this.sweep(Date.now());
  }

  #replace(process: string, entries: readonly Entry[]): void {
    const present = new Set(entries.map(({ room, userId }) => `${room} ${userId}`));
    for (const entry of this.#listEntries(process)) {
      if (!present.has(`${entry.room} ${entry.userId}`)) this.#apply(process, { ...entry, sockets: 0 });
    }
    for (const entry of entries) this.#apply(process, entry);
    if (entries.length === 0) this.#processes.delete(process);
  }

  #apply(process: string, { room, userId, data, sockets }: Entry): void {
    const members = this.#rooms.get(room) ?? new Map<string, Member>();
    const member = members.get(userId) ?? { data, sockets: new Map() };
    const isNew = member.sockets.size === 0;
    if (sockets > 0) member.sockets.set(process, sockets);
    else member.sockets.delete(process);
    if (member.sockets.size > 0) {
      this.#rooms.set(room, members.set(userId, member));
      if (isNew) this.#listener.onJoin(room, data);
    } else {
      members.delete(userId);
      if (members.size === 0) this.#rooms.delete(room);
      if (!isNew) this.#listener.onLeave(room, userId);
    }
  }

  #listEntries(process: string): Entry[] {
    return [...this.#rooms].flatMap(([room, members]) =>
      [...members].flatMap(([userId, { data, sockets }]) => {
        const count = sockets.get(process);
        return count === undefined ? [] : { room, userId, data, sockets: count };
      }),
    );
  }

  /** If a message cannot be sent, the next sweep repeats its content. */
  async #publish(message: Message): Promise<void> {
    await this.#pubsub.publish(this.#channel, JSON.stringify(message)).catch(() => {});
  }
}
