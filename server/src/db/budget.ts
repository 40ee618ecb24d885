import { fail } from '../errors.ts';
import { Connection, type ConnectionLimits } from './connection.ts';
import type { ServerAddress } from './server-address.ts';

export interface BudgetOptions extends ConnectionLimits {
  /** The most connections this process opens, all databases together. */
  readonly connections: number;
  /** The most of them one database may have. */
  readonly perDatabase: number;
  /** How long a caller waits for a connection before it is told to come back later. */
  readonly waitTimeoutMs: number;
}

/** A database that connections are spent on. */
export interface Target {
  readonly address: ServerAddress;
  readonly database: string;
  /** The central database: some connections are its alone, so that tenants in a rush never lock it out. */
  readonly central: boolean;
}

/** A connection in somebody's hands; to be given back with `release`. */
export interface Lease {
  readonly connection: Connection;
  readonly place: Place;
  readonly openedAt: number;
  idleSince: number;
}

/** What the budget knows of a database that has a connection or wants one. */
interface Place {
  readonly key: string;
  readonly target: Target;
  /** Connections that are open, or promised and on their way. */
  open: number;
  /** Those of them still on their way. */
  opening: number;
  readonly idle: Lease[];
  readonly waiting: Waiter[];
}

interface Waiter {
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

/** A connection unused for this long belongs to a quiet tenant and may be closed for a second one of a busy tenant. */
const quietMs = 1_000;
/** How often those who wait for that look whether there is one. */
const lookMs = 250;
/**
 * A database with a single connection and more to do keeps it for this long while others have none: handing it over
 * costs a connect, some five milliseconds, which must not be the price of every query.
 */
const turnMs = 50;
/** A connection unused for this long is closed whether or not anyone wants its slot. */
const idleMs = 120_000;
/** Slots that tenants never get, whatever the central database uses. */
const centralReserve = 2;

/**
 * One budget of connections for the whole process instead of a pool per tenant. A tenant without a connection comes
 * before a second connection for anyone; idle connections of quiet tenants are closed for busy ones; who waits is
 * served fairly between tenants and in order within one.
 */
export class ConnectionBudget {
  readonly #options: BudgetOptions;
  readonly #places = new Map<string, Place>();
  /** Idle leases of all places, the longest idle first. */
  readonly #idle = new Set<Lease>();
  /** Places with someone waiting. Whoever gets a connection, or gives one up, goes to the end. */
  readonly #hungry = new Set<Place>();
  readonly #sweep: NodeJS.Timeout;
  #look: NodeJS.Timeout | undefined;
  /** Rings when the first of those who wait has waited long enough. */
  #watchdog: NodeJS.Timeout | undefined;
  #open = 0;
  #centralOpen = 0;
  #closed = false;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#closeLongIdle(), idleMs / 4).unref();
  }

  /** A connection to the target. At once if one is idle, else when it is this caller's turn. */
  acquire(target: Target): Lease | Promise<Lease> {
    if (this.#closed) throw fail('db.unavailable');
    const place = this.#placeOf(target);
    const lease = place.idle.pop();
    if (lease) {
      this.#idle.delete(lease);
      return lease;
    }
    const turn = this.#wait(place);
    this.#makeRoom(place);
    return turn;
  }

  release(lease: Lease): void {
    const { place, connection } = lease;
    if (!connection.usable || this.#closed) {
      void this.#close(lease);
      return;
    }
    const next = this.#nextAfter(lease);
    if (next === place) this.#takeWaiter(place)?.resolve(lease);
    else if (next) this.#hand(lease, next);
    else {
      lease.idleSince = performance.now();
      place.idle.push(lease);
      this.#idle.add(lease);
      if (this.#hungry.size > 0) this.#lookLater();
    }
  }

  counts(): { open: number; idle: number; waiting: number; databases: number } {
    let waiting = 0;
    for (const place of this.#hungry) waiting += place.waiting.length;
    return { open: this.#open, idle: this.#idle.size, waiting, databases: this.#places.size };
  }

  /** Refuses new callers and closes every connection; one still in use is closed when it is given back. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#look);
    clearTimeout(this.#watchdog);
    for (const place of this.#hungry) {
      for (let waiter = this.#takeWaiter(place); waiter; waiter = this.#takeWaiter(place)) {
        waiter.reject(fail('db.unavailable'));
      }
    }
    await Promise.all([...this.#idle].map((lease) => this.#close(lease)));
  }

  #placeOf(target: Target): Place {
    const key = `${target.address.host}:${target.address.port}/${target.database}`;
    let place = this.#places.get(key);
    if (!place) {
      place = { key, target, open: 0, opening: 0, idle: [], waiting: [] };
      this.#places.set(key, place);
    }
    return place;
  }

  #wait(place: Place): Promise<Lease> {
    return new Promise((resolve, reject) => {
      place.waiting.push({ resolve, reject, since: performance.now() });
      this.#hungry.add(place);
      this.#watchdog ??= setTimeout(() => this.#refuseThePatient(), this.#options.waitTimeoutMs);
    });
  }

  /** One timer for all who wait: all wait as long, so that the first of a place is also the first to be refused. */
  #refuseThePatient(): void {
    const { waitTimeoutMs } = this.#options;
    const now = performance.now();
    let longest: number | undefined;
    for (const place of [...this.#hungry]) {
      while (place.waiting[0] && now - place.waiting[0].since >= waitTimeoutMs) {
        this.#takeWaiter(place)?.reject(fail('db.busy'));
      }
      const waited = place.waiting[0] && now - place.waiting[0].since;
      if (waited !== undefined) longest = Math.max(longest ?? 0, waited);
    }
    this.#watchdog =
      longest === undefined ? undefined : setTimeout(() => this.#refuseThePatient(), waitTimeoutMs - longest);
  }

  #takeWaiter(place: Place): Waiter | undefined {
    const waiter = place.waiting.shift();
    this.#settle(place);
    return waiter;
  }

  /** Forgets what is over: the hunger of a place nobody waits at, and a place that has nothing left. */
  #settle(place: Place): void {
    if (place.waiting.length > 0) return;
    this.#hungry.delete(place);
    if (place.open === 0) this.#places.delete(place.key);
  }

  /** Gets a new connection under way to a place with a waiter, if the budget allows. */
  #makeRoom(place: Place): boolean {
    if (this.#isFull(place)) return false;
    if (this.#hasFreeSlot(place)) {
      this.#count(place, 1);
      void this.#connect(place);
      return true;
    }
    const victim = this.#victimFor(place);
    if (victim) this.#hand(victim, place);
    else if (this.#idle.size > 0) this.#lookLater();
    return victim !== undefined;
  }

  /** Somebody waits while others' connections are idle but not yet quiet: once they are, nothing else would tell. */
  #lookLater(): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      for (let given = true; given; ) {
        given = false;
        for (const place of [...this.#hungry]) given = this.#makeRoom(place) || given;
      }
    }, lookMs).unref();
  }

  /** Whether the place has all the connections it may have or can use. */
  #isFull(place: Place): boolean {
    const { connections, perDatabase } = this.#options;
    const most = place.target.central ? Math.max(centralReserve, Math.floor(connections / 4)) : perDatabase;
    return place.open >= most || place.opening >= place.waiting.length;
  }

  #hasFreeSlot(place: Place): boolean {
    const { connections } = this.#options;
    if (place.target.central) return this.#open < connections;
    return this.#open - this.#centralOpen < connections - Math.max(centralReserve, this.#centralOpen);
  }

  /** An idle connection that may be closed so that the place gets its slot. */
  #victimFor(place: Place): Lease | undefined {
    const quietSince = performance.now() - quietMs;
    let any: Lease | undefined;
    for (const lease of this.#idle) {
      if (lease.place === place || lease.place.target.central) continue;
      if (lease.idleSince < quietSince || lease.place.open > place.open + 1) return lease;
      any ??= lease;
    }
    return place.open === 0 ? any : undefined;
  }

  /** Who gets the connection that a place has just given back: itself, another place, or nobody. */
  #nextAfter({ place, openedAt }: Lease): Place | undefined {
    const own = place.waiting.length > 0 ? place : undefined;
    if (this.#hungry.size === 0 || place.target.central) return own;
    if (own && place.open === 1 && performance.now() - openedAt < turnMs) return own;
    for (const other of this.#hungry) {
      if (other === place || this.#isFull(other)) continue;
      if (other.open === 0 || other.open + 1 < place.open) return other;
    }
    return own;
  }

  /** Closes a connection and gives its slot to another place. */
  #hand(lease: Lease, heir: Place): void {
    this.#detach(lease);
    this.#count(lease.place, -1);
    this.#count(heir, 1);
    void this.#connect(heir, lease.connection.close());
  }

  /** Fills a slot already counted for the place. `vacated`: the slot's last connection has left the server. */
  async #connect(place: Place, vacated?: Promise<void>): Promise<void> {
    place.opening += 1;
    const { address, database } = place.target;
    try {
      await vacated;
      if (this.#closed) throw fail('db.unavailable');
      const connection = await Connection.open(address, database, this.#options, (lost) => this.#forget(place, lost));
      place.opening -= 1;
      this.release({ connection, place, openedAt: performance.now(), idleSince: 0 });
    } catch (error) {
      place.opening -= 1;
      this.#count(place, -1);
      this.#takeWaiter(place)?.reject(error);
      this.#feed();
    }
  }

  /** A connection was lost: the server closed it, restarted, or cannot be reached. */
  #forget(place: Place, lost: Connection): void {
    const lease = place.idle.find(({ connection }) => connection === lost);
    if (lease) void this.#close(lease);
  }

  async #close(lease: Lease): Promise<void> {
    this.#detach(lease);
    await lease.connection.close();
    this.#count(lease.place, -1);
    this.#feed();
  }

  #detach(lease: Lease): void {
    if (!this.#idle.delete(lease)) return;
    lease.place.idle.splice(lease.place.idle.indexOf(lease), 1);
  }

  /** A slot is free: it goes to the hungry place that has least. */
  #feed(): void {
    if (this.#closed) return;
    let next: Place | undefined;
    for (const place of this.#hungry) {
      if (this.#isFull(place) || !this.#hasFreeSlot(place)) continue;
      if (!next || place.open < next.open) next = place;
      if (next.open === 0) break;
    }
    if (next) this.#makeRoom(next);
  }

  #count(place: Place, change: 1 | -1): void {
    place.open += change;
    this.#open += change;
    if (place.target.central) this.#centralOpen += change;
    if (this.#hungry.delete(place)) this.#hungry.add(place);
    this.#settle(place);
  }

  #closeLongIdle(): void {
    const before = performance.now() - idleMs;
    for (const lease of this.#idle) {
      if (lease.idleSince > before) return;
      void this.#close(lease);
    }
  }
}
