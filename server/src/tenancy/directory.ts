import { setTimeout as pause } from 'node:timers/promises';
import { type Db, GuardedCache, type MaybePromise, sql, type Tenant, whenReady } from '@chowk/kit/kernel';
import type { ConnectionBudget } from '../db/budget.ts';
import { openDatabase } from '../db/database.ts';
import { heldDatabase } from '../db/held-database.ts';
import type { ServerAddress } from '../db/server-address.ts';
import type { Signals } from '../db/signals.ts';
import { fail } from '../errors.ts';
import { tenantLimits } from './plans.ts';
import { type ResolvedTenant, resolveTenant, ringSegment, type TenantClaim } from './resolve-tenant.ts';
import { unknownServer } from './servers.ts';

/** A tenant with its database. Only the directory opens tenant databases. */
export interface TenantEntry extends Tenant {
  readonly db: Db;
}

/** A tenant that may be suspended. */
export interface DirectoryEntry extends TenantEntry {
  readonly isSuspended: boolean;
}

interface TenantRow extends Tenant {
  isSuspended: boolean;
  /** Its database is being moved to another server or replaced, and must not be used for a moment. */
  isPaused: boolean;
  database_server: string;
  database_name: string;
}

interface Ring {
  readonly name: string;
  readonly hostname_segment: string;
  readonly k8s_service: string;
  readonly is_default: boolean;
}

interface DirectoryOptions {
  readonly central: Db;
  readonly budget: ConnectionBudget;
  readonly findAddress: (server: string) => ServerAddress | undefined;
  /** How long a query waits for a tenant that is paused. */
  readonly holdTimeoutMs: number;
  readonly signals: Signals;
  readonly baseDomain: string;
  readonly appUrl: string;
}

/** The cache key of the whole ring table, which is small. */
const allRings = '';

/** How often a query that waits for a paused tenant looks into the cache. */
const holdPollMs = 50;

/** Longer claims cannot be valid and are not cached. */
const maxCachedClaimLength = 400;

/**
 * Maps labels to tenants. Caches rows of the central database; a committed change in any process invalidates them, and
 * nothing is cached while notifications cannot be received.
 */
export class Directory {
  readonly #tenants: GuardedCache<DirectoryEntry>;
  readonly #rings: GuardedCache<Ring[]>;
  /** Resolved tenants by host and header. */
  readonly #resolved: GuardedCache<ResolvedTenant<DirectoryEntry>>;
  /** The handles of paused tenants. */
  readonly #held = new WeakSet<Db>();
  readonly #platform: { readonly baseDomain: string; readonly ownHost: string };
  readonly #lookup = {
    find: (label: string) => this.entry(label),
    ringAt: (segment: string) => this.ringAt(segment),
  };

  constructor({ central, budget, findAddress, holdTimeoutMs, signals, baseDomain, appUrl }: DirectoryOptions) {
    this.#platform = { baseDomain, ownHost: new URL(appUrl).hostname };
    this.#tenants = new GuardedCache({
      max: 20_000,
      load: async (label) => {
        const row = await findTenant(central, label);
        if (!row) return undefined;
        const { database_server, database_name: database, isPaused, ...tenant } = row;
        const address = findAddress(database_server);
        if (!address) throw fail('db.unavailable', {}, { cause: unknownServer(database_server) });
        const db = isPaused
          ? heldDatabase(() => this.#resumed(tenant.id, holdTimeoutMs))
          : openDatabase(budget, { address, database, central: false, maxConnections: tenant.limits.connections });
        if (isPaused) this.#held.add(db);
        return Object.freeze({ ...tenant, db });
      },
    });
    this.#rings = new GuardedCache({ max: 1, load: () => listRings(central) });
    this.#resolved = new GuardedCache({
      max: 20_000,
      load: (key) => {
        const [host = '', header] = key.split('\n');
        return resolveTenant(this.#lookup, this.#platform, { host, header });
      },
    });
    const onConnectionChange = (ok: boolean) => {
      this.#tenants.trust(ok);
      this.#resolved.trust(ok);
    };
    void signals.listen('chowk_tenant', { onNotify: (id) => this.tenantChanged(id), onConnectionChange });
    void signals.listen('chowk_domain', { onNotify: (domain) => this.domainChanged(domain), onConnectionChange });
    void signals.listen('chowk_plan', {
      onNotify: () => this.#allTenantsChanged(),
      onConnectionChange,
    });
    void signals.listen('chowk_ring', {
      onNotify: () => this.#ringsChanged(),
      onConnectionChange: (ok) => this.#trustRings(ok),
    });
  }

  /** The tenant that a claim names; `undefined` if it names none. Throws for an invalid, unknown or suspended one. */
  resolve({ host, header }: TenantClaim): MaybePromise<ResolvedTenant<TenantEntry> | undefined> {
    const key = header === undefined ? host : `${host}\n${header}`;
    if (key.length > maxCachedClaimLength) return resolveTenant(this.#lookup, this.#platform, { host, header });
    return this.#resolved.get(key);
  }

  /** The active tenant with this id or domain, in lower case. */
  async find(label: string): Promise<TenantEntry | undefined> {
    const entry = await this.#tenants.get(label);
    return entry?.isSuspended ? undefined : entry;
  }

  /** The active or suspended tenant with this id or domain, in lower case. */
  async entry(label: string): Promise<DirectoryEntry | undefined> {
    return this.#tenants.get(label);
  }

  /** The name of the ring with this hostname segment. */
  async ringAt(segment: string): Promise<string | undefined> {
    const rings = await this.rings();
    return rings.find(({ hostname_segment }) => hostname_segment === segment)?.name;
  }

  rings(): MaybePromise<readonly Ring[]> {
    return whenReady(this.#rings.get(allRings), (rings) => rings ?? []);
  }

  /** The ring that serves a request: that of its tenant, else the one that the host names. Throws as `resolve` does. */
  findRing(claim: TenantClaim): MaybePromise<string | undefined> {
    return whenReady(this.resolve(claim), (resolved) => resolved?.tenant.ring ?? this.findRingInHost(claim.host));
  }

  /** The ring named by `<ring>.<base domain>`, also below another label. */
  findRingInHost(host: string): MaybePromise<string | undefined> {
    const segment = ringSegment(host, this.#platform.baseDomain);
    if (segment === undefined) return undefined;
    return whenReady(this.rings(), (rings) => rings.find((ring) => ring.hostname_segment === segment)?.name);
  }

  /** Like `findRing`, but reads the tenant from the database: a notification may be on its way. */
  async readRing(claim: TenantClaim): Promise<string | undefined> {
    const resolved = await this.resolve(claim);
    if (resolved) this.tenantChanged(resolved.tenant.id);
    return this.findRing(claim);
  }

  /** Invalidates a tenant in this process at once, before the notification arrives. */
  tenantChanged(id: string): void {
    this.#tenants.invalidateWhere((tenant) => tenant.id === id);
    this.#resolved.invalidateWhere(({ tenant }) => tenant.id === id);
  }

  domainChanged(domain: string): void {
    this.#tenants.invalidate(domain);
    this.#resolved.invalidateWhere(() => true);
  }

  get size(): number {
    return this.#tenants.size;
  }

  /** The database of a paused tenant when it is in use again. */
  async #resumed(id: string, timeoutMs: number): Promise<Db> {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await pause(holdPollMs)) {
      const entry = await this.#tenants.get(id);
      if (entry && !this.#held.has(entry.db)) return entry.db;
    }
    throw fail('tenancy.moving');
  }

  #ringsChanged(): void {
    this.#rings.invalidate(allRings);
    this.#allTenantsChanged();
  }

  #allTenantsChanged(): void {
    this.#tenants.invalidateWhere(() => true);
    this.#resolved.invalidateWhere(() => true);
  }

  #trustRings(ok: boolean): void {
    this.#rings.trust(ok);
    this.#resolved.trust(ok);
  }
}

/** Every tenant id is also a domain, so one lookup covers both. */
function findTenant(central: Db, label: string): Promise<TenantRow | undefined> {
  return central.row<TenantRow>(sql`
    SELECT t.id, t.name, t.role, r.name AS ring, t.sandbox_of IS NOT NULL AS "isSandbox", ${tenantLimits} AS limits,
      t.status = 'suspended' AS "isSuspended", t.database_server, t.database_name,
      (EXISTS (SELECT FROM tenant_moves m WHERE m.tenant_id = t.id AND m.step = 'paused')
        OR EXISTS (SELECT FROM tenant_restores s WHERE s.tenant_id = t.id AND s.step = 'paused')) AS "isPaused"
    FROM domains d JOIN tenants t ON t.id = d.tenant_id JOIN module_rings r ON r.id = t.module_ring_id
    WHERE d.domain = ${label} AND t.status IN ('active', 'suspended')`);
}

function listRings(central: Db): Promise<Ring[]> {
  return central.rows<Ring>(sql`SELECT name, hostname_segment, k8s_service, is_default FROM module_rings`);
}
