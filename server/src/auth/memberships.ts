import { type Accounts, type Db, type NewAccount, type Settings, sql } from '@chowk/kit';
import { GuardedCache } from '../cache.ts';
import type { Signals } from '../db/signals.ts';
import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { Caller, Membership } from './identity.ts';
import { actsIn } from './permissions.ts';

interface MembershipRow {
  role: string;
  tenant_role: string;
  permissions: string[];
}

export interface TenantOfUser {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

/** Who belongs to which tenant, and what it may do there. */
export class Memberships {
  readonly #members: GuardedCache<Membership & { readonly tenantId: string }>;
  readonly #tenants: GuardedCache<readonly TenantOfUser[]>;
  readonly #settingsOf: (tenantId: string) => Promise<Settings>;

  constructor(central: Db, signals: Signals, settingsOf: (tenantId: string) => Promise<Settings>) {
    this.#settingsOf = settingsOf;
    this.#members = new GuardedCache({ max: 50_000, load: (key) => loadMembership(central, key) });
    this.#tenants = new GuardedCache<readonly TenantOfUser[]>({
      max: 20_000,
      load: (userId) => listTenants(central, Number(userId)),
    });
    const onConnectionChange = (ok: boolean) => {
      this.#members.trust(ok);
      this.#tenants.trust(ok);
    };
    void signals.listen('chowk_membership', { onNotify: (key) => this.#changed(key), onConnectionChange });
    void signals.listen('chowk_role', { onNotify: (tenantId) => this.#roleChanged(tenantId), onConnectionChange });
    void signals.listen('chowk_tenant', { onNotify: (id) => this.#tenantChanged(id), onConnectionChange });
  }

  /** What a caller may do in a tenant: as its role says, within what its token is limited to. */
  of(caller: Caller, tenantId: string): MaybePromise<Membership | undefined> {
    return andThen(this.#members.get(`${caller.id} ${tenantId}`), (membership) => {
      if (!membership) return undefined;
      const { scopes } = caller.session;
      const within = scopes ? limited(membership, (name) => scopes.has(name)) : membership;
      return caller.emailVerified ? within : this.#ofUnverified(within, tenantId);
    });
  }

  tenantsOf(userId: number): MaybePromise<readonly TenantOfUser[]> {
    return andThen(this.#tenants.get(String(userId)), (tenants) => tenants ?? []);
  }

  async #ofUnverified(membership: Membership, tenantId: string): Promise<Membership> {
    const { 'security.unverified_users': may } = await this.#settingsOf(tenantId);
    if (may === 'full') return membership;
    return limited(membership, (name) => may === 'view' && name.endsWith('.view'));
  }

  #changed(key: string): void {
    this.#members.invalidate(key);
    this.#tenants.invalidate(key.split(' ')[0] ?? '');
  }

  /** A role of a tenant's own, or one of the five, which are everyone's. */
  #roleChanged(tenantId: string): void {
    if (tenantId === '') {
      this.#members.invalidateWhere(() => true);
      this.#tenants.invalidateWhere(() => true);
    } else this.#tenantChanged(tenantId);
  }

  #tenantChanged(id: string): void {
    this.#members.invalidateWhere(({ tenantId }) => tenantId === id);
    this.#tenants.invalidateWhere((tenants) => tenants.some((tenant) => tenant.id === id));
  }
}

export const accounts: Accounts = {
  async isTaken(db, email) {
    const row = await db.row(sql`
      SELECT FROM users WHERE email = ${email.toLowerCase()}
      UNION ALL SELECT FROM reserved_emails WHERE email = ${email.toLowerCase()} AND until > now() LIMIT 1`);
    return row !== undefined;
  },
  async create(db: Db, { name, email, passwordHash, emailVerified = false }: NewAccount) {
    const made = await db.row<{ id: number }>(sql`
      INSERT INTO users (name, email, password_hash, email_verified_at)
      SELECT ${name}, ${email.toLowerCase()}, ${passwordHash ?? null}, CASE WHEN ${emailVerified}::boolean THEN now() END
      WHERE NOT EXISTS (SELECT FROM reserved_emails WHERE email = ${email.toLowerCase()} AND until > now())
      ON CONFLICT (email) DO NOTHING RETURNING id`);
    return made?.id;
  },
  async join(db, userId, tenantId, role) {
    const joined = await db.run(sql`
      INSERT INTO memberships (user_id, tenant_id, role_id)
      SELECT ${userId}, ${tenantId}, id FROM roles WHERE tenant_id IS NULL AND name = ${role}
      ON CONFLICT (user_id, tenant_id) DO UPDATE SET role_id = excluded.role_id, updated_at = now()`);
    if (joined === 0) throw new Error(`there is no role ${role}; has the seed run?`);
  },
};

function limited({ role, permissions }: Membership, may: (permission: string) => boolean): Membership {
  return { role, permissions: new Set([...permissions].filter(may)) };
}

async function loadMembership(central: Db, key: string): Promise<(Membership & { tenantId: string }) | undefined> {
  const [userId, tenantId = ''] = key.split(' ');
  const row = await central.row<MembershipRow>(sql`
    SELECT coalesce(r.name, 'API client') AS role, t.role AS tenant_role, coalesce(m.permissions, ARRAY(
      SELECT permission FROM role_permissions WHERE role_id = m.role_id)) AS permissions
    FROM memberships m JOIN tenants t ON t.id = m.tenant_id LEFT JOIN roles r ON r.id = m.role_id
    WHERE m.user_id = ${Number(userId)} AND m.tenant_id = ${tenantId}`);
  if (!row) return undefined;
  const acting = row.permissions.filter((name) => actsIn(name, row.tenant_role));
  return { tenantId, role: row.role, permissions: new Set(acting.sort()) };
}

function listTenants(central: Db, userId: number): Promise<TenantOfUser[]> {
  return central.rows<TenantOfUser>(sql`
    SELECT t.id, t.name, coalesce(r.name, 'API client') AS role
    FROM memberships m JOIN tenants t ON t.id = m.tenant_id LEFT JOIN roles r ON r.id = m.role_id
    WHERE m.user_id = ${userId} AND t.status = 'active' ORDER BY t.name, t.id`);
}
