import { type Db, sql, type Tenant } from '@chowk/kit';
import { GuardedCache } from '../cache.ts';
import type { ConnectionBudget } from '../db/budget.ts';
import { openDatabase } from '../db/database.ts';
import type { ServerAddress } from '../db/server-address.ts';
import type { Signals } from '../db/signals.ts';

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

/** The whole ring table under one key: there are never many. */
const allRings = '';

/**
 * Which label leads to which tenant. The central database decides; what is kept here is dropped the moment a change
 * is committed anywhere, and nothing is kept while changes cannot be heard.
 */
export class Directory {
  readonly #tenants: GuardedCache<TenantEntry>;
  readonly #rings: GuardedCache<Ring[]>;

  constructor(central: Db, budget: ConnectionBudget, addressOf: (server: string) => ServerAddress, signals: Signals) {
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
    const hearing = (ok: boolean) => this.#tenants.trust(ok);
    void signals.on('chowk_tenant', { heard: (id) => this.tenantChanged(id), hearing });
    void signals.on('chowk_domain', { heard: (domain) => this.domainChanged(domain), hearing });
    void signals.on('chowk_ring', { heard: () => this.#ringsChanged(), hearing: (ok) => this.#rings.trust(ok) });
  }

  /** The active tenant that an id or a domain leads to. The label is in lower case. */
  find(label: string): Promise<TenantEntry | undefined> {
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
  }

  domainChanged(domain: string): void {
    this.#tenants.invalidate(domain);
  }

  get size(): number {
    return this.#tenants.size;
  }

  #ringsChanged(): void {
    this.#rings.invalidate(allRings);
    this.#tenants.invalidateWhere(() => true);
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
