import type { MaybePromise } from '@chowk/kit';
import { type Db, GuardedCache, sql, type Tenant } from '@chowk/kit';
import type { ConnectionBudget } from '../db/budget.ts';
import { openDatabase } from '../db/database.ts';
import type { ServerAddress } from '../db/server-address.ts';
import type { Signals } from '../db/signals.ts';
import { type Binding, bindTenant, type TenantClaim } from './bind.ts';

/** A tenant with the handle of its database. Handles come from here and from nowhere else. */
export interface TenantEntry extends Tenant {
  readonly db: Db;
}

interface TenantRow extends Tenant {
  database_server: string;
  database_name: string;
}

interface Ring {
  readonly name: string;
  readonly hostname_segment: string;
}

interface DirectoryParts {
  readonly central: Db;
  readonly budget: ConnectionBudget;
  readonly addressOf: (server: string) => ServerAddress;
  readonly signals: Signals;
  readonly baseDomain: string;
}

/** The whole ring table under one key: there are never many. */
const allRings = '';

/** Claims longer than this are nobody's and not worth keeping. */
const longestClaim = 400;

/**
 * Which label leads to which tenant. The central database decides; what is kept here is dropped the moment a change
 * is committed anywhere, and nothing is kept while changes cannot be heard.
 */
export class Directory {
  readonly #tenants: GuardedCache<TenantEntry>;
  readonly #rings: GuardedCache<Ring[]>;
  /** What was found for a claim, so that the next request with it is bound without thinking. */
  readonly #bindings: GuardedCache<Binding<TenantEntry>>;
  readonly #baseDomain: string;

  constructor({ central, budget, addressOf, signals, baseDomain }: DirectoryParts) {
    this.#baseDomain = baseDomain;
    this.#tenants = new GuardedCache({
      max: 20_000,
      load: async (label) => {
        const row = await findTenant(central, label);
        if (!row) return undefined;
        const { database_server, database_name: database, ...tenant } = row;
        const target = { address: addressOf(database_server), database, central: false };
        return Object.freeze({ ...tenant, db: openDatabase(budget, target) });
      },
    });
    this.#rings = new GuardedCache({ max: 1, load: () => listRings(central) });
    this.#bindings = new GuardedCache({
      max: 20_000,
      load: (key) => {
        const [host = '', header] = key.split('\n');
        return bindTenant(this, baseDomain, { host, header });
      },
    });
    const onConnectionChange = (ok: boolean) => {
      this.#tenants.trust(ok);
      this.#bindings.trust(ok);
    };
    void signals.listen('chowk_tenant', { onNotify: (id) => this.tenantChanged(id), onConnectionChange });
    void signals.listen('chowk_domain', { onNotify: (domain) => this.domainChanged(domain), onConnectionChange });
    void signals.listen('chowk_ring', {
      onNotify: () => this.#ringsChanged(),
      onConnectionChange: (ok) => this.#hearRings(ok),
    });
  }

  /** Which tenant a claim is bound to, and `undefined` for one that names none. Throws what is wrong with it. */
  bind({ host, header }: TenantClaim): MaybePromise<Binding<TenantEntry> | undefined> {
    const key = header === undefined ? host : `${host}\n${header}`;
    if (key.length > longestClaim) return bindTenant(this, this.#baseDomain, { host, header });
    return this.#bindings.get(key);
  }

  /** The active tenant that an id or a domain leads to. The label is in lower case. */
  find(label: string): MaybePromise<TenantEntry | undefined> {
    return this.#tenants.get(label);
  }

  /** The ring whose hostname segment this is. */
  async ringAt(segment: string): Promise<string | undefined> {
    const rings = await this.#rings.get(allRings);
    return rings?.find(({ hostname_segment }) => hostname_segment === segment)?.name;
  }

  /** Forgets a tenant in this process at once, without waiting to hear of the change. */
  tenantChanged(id: string): void {
    this.#tenants.invalidateWhere((tenant) => tenant.id === id);
    this.#bindings.invalidateWhere(({ tenant }) => tenant.id === id);
  }

  domainChanged(domain: string): void {
    this.#tenants.invalidate(domain);
    this.#bindings.invalidateWhere(() => true);
  }

  get size(): number {
    return this.#tenants.size;
  }

  #ringsChanged(): void {
    this.#rings.invalidate(allRings);
    this.#tenants.invalidateWhere(() => true);
    this.#bindings.invalidateWhere(() => true);
  }

  #hearRings(ok: boolean): void {
    this.#rings.trust(ok);
    this.#bindings.trust(ok);
  }
}

/** Tenant ids are domains too, so one look-up answers for both. */
function findTenant(central: Db, label: string): Promise<TenantRow | undefined> {
  return central.row<TenantRow>(sql`
    SELECT t.id, t.name, t.role, r.name AS ring, t.database_server, t.database_name
    FROM domains d JOIN tenants t ON t.id = d.tenant_id JOIN module_rings r ON r.id = t.module_ring_id
    WHERE d.domain = ${label} AND t.status = 'active'`);
}

function listRings(central: Db): Promise<Ring[]> {
  return central.rows<Ring>(sql`SELECT name, hostname_segment FROM module_rings`);
}
