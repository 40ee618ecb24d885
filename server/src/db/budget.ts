import { fail } from '../errors.ts';
import { Connection, type ConnectionLimits } from './connection.ts';
import type { ServerAddress } from './server-address.ts';

export interface BudgetOptions extends ConnectionLimits {
  /** Maximum number of connections of this process, over all databases. */
  readonly connections: number;
  /** Maximum number of connections to one tenant database. */
  readonly perDatabase: number;
  /** A lower maximum while other tenants are active, so that their requests do not wait for the processor behind those of a busy one. */
  readonly perDatabaseWhenShared?: number;
  /** Maximum number of connections to the tenant databases of one server, if there are several servers. */
  readonly perServer?: number;
  /** How long a caller waits for a connection before it fails with `db.busy`. */
  readonly waitTimeoutMs: number;
}

export interface Target {
  readonly address: ServerAddress;
  readonly database: string;
  /** Some connections are reserved for the central database, so that busy tenants cannot block it. */
  readonly central: boolean;
  /** A lower maximum than `perDatabase`. */
  readonly maxConnections?: number | null;
}

/** A borrowed connection. Return it with `release`. */
export interface Lease {
  readonly connection: Connection;
  readonly pool: Pool;
  readonly openedAt: number;
  idleSince: number;
}

/** The tenant databases of one server. */
interface Server {
  open: number;
  opening: number;
  /** The error of the last attempt to connect, if the server did not respond. */
  timeoutError: unknown;
}

/** The connections and waiters of one database. */
interface Pool {
  readonly key: string;
  readonly server: Server;
  /** As of the last request: the maximum of a tenant may change. */
  target: Target;
  /** Slots in use: open connections and connections that are being opened. */
  open: number;
  /** Connections that are being opened. */
  opening: number;
  /** Connections that are being closed. */
  closing: number;
  readonly idle: Lease[];
  readonly waiters: Waiter[];
}

interface Waiter {
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

/** A connection idle for this long may be closed to open a second one for a busy tenant. */
const quietMs = 1_000;
/** How often waiters check for such a connection. */
const recheckMs = 250;
/**
 * A database with a single connection keeps it at least this long while other databases have none. Connecting takes
 * about 5 ms, so changing the owner after every query would be slow.
 */
const minTurnMs = 50;
/** A connection idle for this long is closed. */
const maxIdleMs = 120_000;
/** For so long after its last request a tenant is active. */
const sharedMs = 5_000;
/** Slots that are never used for tenants. */
const centralReserve = 2;

/**
 * One limit on connections for the whole process instead of a pool per tenant. Tenants without a connection are served
 * first, and idle connections of quiet tenants are closed for busy ones.
 */
export class ConnectionBudget {
  readonly #options: BudgetOptions;
  readonly #pools = new Map<string, Pool>();
  readonly #servers = new Map<string, Server>();
  /** Idle leases of all pools, the longest idle first. */
  readonly #idle = new Set<Lease>();
  /** Pools with waiters, in the order of service: a pool that gains or loses a slot moves to the end. */
  readonly #poolsWithWaiters = new Set<Pool>();
  readonly #idleTimer: NodeJS.Timeout;
  #recheckTimer: NodeJS.Timeout | undefined;
  #waitTimer: NodeJS.Timeout | undefined;
  /** The two tenants that asked for a connection last. */
  #recent: readonly { readonly pool: Pool; readonly at: number }[] = [];
  #open = 0;
  #centralOpen = 0;
  #closed = false;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#idleTimer = setInterval(() => this.#closeLongIdle(), maxIdleMs / 4).unref();
  }

  /** Returns an idle connection at once, otherwise a promise of the next free one. */
  acquire(target: Target): Lease | Promise<Lease> {
    if (this.#closed) throw fail('db.unavailable');
    const pool = this.#poolFor(target);
    if (!target.central) this.#noteUse(pool);
    const lease = pool.idle.pop();
    if (lease) {
      this.#idle.delete(lease);
      return lease;
    }
    // One caller at a time finds out whether the server responds again; the others must not wait for the timeout.
    if (pool.server.timeoutError && pool.server.opening > 0) throw pool.server.timeoutError;
    const pending = this.#enqueue(pool);
    this.#tryOpen(pool);
    return pending;
  }

  release(lease: Lease): void {
    const { pool, connection } = lease;
    if (!connection.isUsable || this.#closed || pool.open - pool.closing > this.#maximum(pool)) {
      void this.#close(lease);
      return;
    }
    const next = this.#nextOwner(lease);
    if (next === pool) this.#dequeue(pool)?.resolve(lease);
    else if (next) this.#transferSlot(lease, next);
    else {
      lease.idleSince = performance.now();
      pool.idle.push(lease);
      this.#idle.add(lease);
      if (this.#poolsWithWaiters.size > 0) this.#scheduleRecheck();
    }
  }

  counts(): { open: number; idle: number; waiting: number; databases: number } {
    let waiting = 0;
    for (const pool of this.#poolsWithWaiters) waiting += pool.waiters.length;
    return { open: this.#open, idle: this.#idle.size, waiting, databases: this.#pools.size };
  }

  /** Rejects waiters and new callers and closes every connection. A leased connection is closed on release. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#idleTimer);
    clearTimeout(this.#recheckTimer);
    clearTimeout(this.#waitTimer);
    for (const pool of this.#poolsWithWaiters) {
      for (let waiter = this.#dequeue(pool); waiter; waiter = this.#dequeue(pool)) {
        waiter.reject(fail('db.unavailable'));
      }
    }
    await Promise.all([...this.#idle].map((lease) => this.#close(lease)));
  }

  #poolFor(target: Target): Pool {
    const server = `${target.address.host}:${target.address.port}`;
    const key = `${server}/${target.database}`;
    let pool = this.#pools.get(key);
    if (pool) pool.target = target;
    else {
      pool = {
        key,
        server: this.#serverFor(target.central ? 'central' : server),
        target,
        open: 0,
        opening: 0,
        closing: 0,
        idle: [],
        waiters: [],
      };
      this.#pools.set(key, pool);
    }
    return pool;
  }

  #serverFor(key: string): Server {
    const server = this.#servers.get(key) ?? { open: 0, opening: 0, timeoutError: undefined };
    this.#servers.set(key, server);
    return server;
  }

  #enqueue(pool: Pool): Promise<Lease> {
    return new Promise((resolve, reject) => {
      pool.waiters.push({ resolve, reject, since: performance.now() });
      this.#poolsWithWaiters.add(pool);
      this.#waitTimer ??= setTimeout(() => this.#rejectTimedOut(), this.#options.waitTimeoutMs);
    });
  }

  /** One timer serves all waiters: the timeout is the same for all, so the first waiter of a pool expires first. */
  #rejectTimedOut(): void {
    const { waitTimeoutMs } = this.#options;
    const now = performance.now();
    let longest: number | undefined;
    for (const pool of [...this.#poolsWithWaiters]) {
      while (pool.waiters[0] && now - pool.waiters[0].since >= waitTimeoutMs) {
        this.#dequeue(pool)?.reject(fail('db.busy'));
      }
      const waited = pool.waiters[0] && now - pool.waiters[0].since;
      if (waited !== undefined) longest = Math.max(longest ?? 0, waited);
    }
    this.#waitTimer =
      longest === undefined ? undefined : setTimeout(() => this.#rejectTimedOut(), waitTimeoutMs - longest);
  }

  #dequeue(pool: Pool): Waiter | undefined {
    const waiter = pool.waiters.shift();
    this.#removeIfUnused(pool);
    return waiter;
  }

  #removeIfUnused(pool: Pool): void {
    if (pool.waiters.length > 0) return;
    this.#poolsWithWaiters.delete(pool);
    if (pool.open === 0) this.#pools.delete(pool.key);
  }

  /** Starts opening a connection for a pool with waiters, in a free slot or by closing an idle connection. */
  #tryOpen(pool: Pool): boolean {
    if (this.#isFull(pool)) {
      if (this.#isShared(pool)) this.#scheduleRecheck();
      return false;
    }
    if (this.#hasFreeSlot(pool)) {
      this.#count(pool, 1);
      void this.#connect(pool);
      return true;
    }
    const evicted = this.#findEvictable(pool);
    if (evicted) this.#transferSlot(evicted, pool);
    else if (this.#idle.size > 0) this.#scheduleRecheck();
    return evicted !== undefined;
  }

  /** No event fires when an idle connection or another tenant becomes quiet, so a timer checks. */
  #scheduleRecheck(): void {
    this.#recheckTimer ??= setTimeout(() => {
      this.#recheckTimer = undefined;
      for (let hasOpened = true; hasOpened; ) {
        hasOpened = false;
        for (const pool of [...this.#poolsWithWaiters]) hasOpened = this.#tryOpen(pool) || hasOpened;
      }
    }, recheckMs).unref();
  }

  /** Whether the pool has its maximum, or enough connections on the way for its waiters. */
  #isFull(pool: Pool): boolean {
    return pool.open >= this.#maximum(pool) || pool.opening >= pool.waiters.length;
  }

  #maximum(pool: Pool): number {
    const { target } = pool;
    const { connections, perDatabase, perDatabaseWhenShared = perDatabase } = this.#options;
    if (target.central) return Math.max(centralReserve, Math.floor(connections / 4));
    return Math.min(target.maxConnections ?? perDatabase, this.#isShared(pool) ? perDatabaseWhenShared : perDatabase);
  }

  #noteUse(pool: Pool): void {
    const other = this.#recent.find((one) => one.pool !== pool);
    this.#recent = [{ pool, at: performance.now() }, ...(other ? [other] : [])];
  }

  /** Whether other tenants are active. */
  #isShared(pool: Pool): boolean {
    if (this.#options.perDatabaseWhenShared === undefined) return false;
    const since = performance.now() - sharedMs;
    return this.#recent.some((one) => one.pool !== pool && one.at > since);
  }

  #hasFreeSlot(pool: Pool): boolean {
    const { connections } = this.#options;
    if (pool.target.central) return this.#open < connections;
    if (this.#hasFullServer(pool)) return false;
    return this.#open - this.#centralOpen < connections - Math.max(centralReserve, this.#centralOpen);
  }

  /** The pool of a full server can only get the slot of another database on it. */
  #hasFullServer({ target, server }: Pool): boolean {
    const { perServer } = this.#options;
    return perServer !== undefined && !target.central && server.open >= perServer;
  }

  /** Finds an idle connection that may be closed so that the pool gets its slot. */
  #findEvictable(pool: Pool): Lease | undefined {
    const quietSince = performance.now() - quietMs;
    let fallback: Lease | undefined;
    for (const lease of this.#idle) {
      if (lease.pool === pool || lease.pool.target.central) continue;
      if (lease.pool.server !== pool.server && this.#hasFullServer(pool)) continue;
      if (lease.idleSince < quietSince || lease.pool.open > pool.open + 1) return lease;
      fallback ??= lease;
    }
    return pool.open === 0 ? fallback : undefined;
  }

  /** Which pool gets the slot of a released connection; `undefined` leaves the connection idle. */
  #nextOwner({ pool, openedAt }: Lease): Pool | undefined {
    const own = pool.waiters.length > 0 ? pool : undefined;
    if (this.#poolsWithWaiters.size === 0 || pool.target.central) return own;
    if (own && pool.open === 1 && performance.now() - openedAt < minTurnMs) return own;
    for (const other of this.#poolsWithWaiters) {
      if (other === pool || this.#isFull(other)) continue;
      if (other.server !== pool.server && this.#hasFullServer(other)) continue;
      if (other.open === 0 || other.open + 1 < pool.open) return other;
    }
    return own;
  }

  /** Closes a connection and opens one of another pool in its slot. */
  #transferSlot(lease: Lease, newOwner: Pool): void {
    this.#detach(lease);
    this.#count(lease.pool, -1);
    this.#count(newOwner, 1);
    void this.#connect(newOwner, lease.connection.close());
  }

  /** Opens a connection in a slot that is already counted, after the previous connection has left the server. */
  async #connect(pool: Pool, previousClosed?: Promise<void>): Promise<void> {
    const { server } = pool;
    pool.opening += 1;
    server.opening += 1;
    const { address, database } = pool.target;
    let startedAt = performance.now();
    try {
      await previousClosed;
      if (this.#closed) throw fail('db.unavailable');
      startedAt = performance.now();
      const connection = await Connection.open(address, database, this.#options, (lost) =>
        this.#removeLost(pool, lost),
      );
      pool.opening -= 1;
      server.opening -= 1;
      server.timeoutError = undefined;
      this.release({ connection, pool, openedAt: performance.now(), idleSince: 0 });
    } catch (error) {
      pool.opening -= 1;
      server.opening -= 1;
      this.#count(pool, -1);
      this.#dequeue(pool)?.reject(error);
      if (performance.now() - startedAt >= this.#options.connectTimeoutMs) this.#recordTimeout(server, error);
      this.#assignFreeSlot();
    }
  }

  /** Rejects the waiters of a server that does not respond, if there are several servers. */
  #recordTimeout(server: Server, error: unknown): void {
    if (this.#options.perServer === undefined) return;
    server.timeoutError = error;
    for (const pool of [...this.#poolsWithWaiters]) {
      // Those whose connection is being opened are rejected when it fails.
      while (pool.server === server && pool.waiters.length > pool.opening) this.#dequeue(pool)?.reject(error);
    }
  }

  #removeLost(pool: Pool, lost: Connection): void {
    const lease = pool.idle.find(({ connection }) => connection === lost);
    if (lease) void this.#close(lease);
  }

  async #close(lease: Lease): Promise<void> {
    const { pool, connection } = lease;
    this.#detach(lease);
    pool.closing += 1;
    await connection.close();
    pool.closing -= 1;
    this.#count(pool, -1);
    this.#assignFreeSlot();
  }

  #detach(lease: Lease): void {
    if (!this.#idle.delete(lease)) return;
    lease.pool.idle.splice(lease.pool.idle.indexOf(lease), 1);
  }

  /** Gives a free slot to the pool with waiters that has the fewest connections. */
  #assignFreeSlot(): void {
    if (this.#closed) return;
    let next: Pool | undefined;
    for (const pool of this.#poolsWithWaiters) {
      if (this.#isFull(pool) || !this.#hasFreeSlot(pool)) continue;
      if (!next || pool.open < next.open) next = pool;
      if (next.open === 0) break;
    }
    if (next) this.#tryOpen(next);
  }

  #count(pool: Pool, change: 1 | -1): void {
    pool.open += change;
    pool.server.open += change;
    this.#open += change;
    if (pool.target.central) this.#centralOpen += change;
    if (this.#poolsWithWaiters.delete(pool)) this.#poolsWithWaiters.add(pool);
    this.#removeIfUnused(pool);
  }

  #closeLongIdle(): void {
    const idleBefore = performance.now() - maxIdleMs;
    for (const lease of this.#idle) {
      if (lease.idleSince > idleBefore) return;
      void this.#close(lease);
    }
  }
}
