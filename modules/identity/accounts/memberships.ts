import {
  type Caller,
  type Db,
  GuardedCache,
  type MaybePromise,
  type SystemCtx,
  type SystemServices,
  sql,
  whenReady,
} from '@chowk/kit';
import { hasEffectIn } from './permissions.ts';

interface MembershipRow {
  role: string;
  tenant_role: string;
  permissions: string[];
  maker_id: number | null;
  since: string;
  verified: boolean;
}

export interface TenantOfUser {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** The label of its main domain. */
  readonly domain: string;
}

/** The label of the main domain of a tenant `t`: its id if that is an alias, else its first alias, else the random one. */
export const mainDomain = sql`(SELECT d.domain FROM domains d WHERE d.tenant_id = t.id
  ORDER BY d.kind = 'random', d.domain <> t.id, d.created_at, d.domain LIMIT 1)`;

type Membership = NonNullable<SystemCtx['membership']>;

interface CachedMembership extends Membership {
  readonly userId: number;
  readonly tenantId: string;
  /** The user whose rights limit those of an API client; `null` for a person. */
  readonly makerId: number | null;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly isVerified: boolean;
}

/** The members of tenants and their permissions, cached until a change is committed by any process. */
export class Memberships {
  readonly #members: GuardedCache<CachedMembership>;
  readonly #tenants: GuardedCache<readonly TenantOfUser[]>;
  readonly #settings: SystemServices['settings'];

  constructor({ central, signals, settings }: Pick<SystemServices, 'central' | 'signals' | 'settings'>) {
    this.#settings = settings;
    this.#members = new GuardedCache({ max: 50_000, load: (key) => loadMembership(central, key) });
    this.#tenants = new GuardedCache<readonly TenantOfUser[]>({
      max: 20_000,
      load: (userId) => listTenants(central, Number(userId)),
    });
    const onConnectionChange = (isConnected: boolean) => {
      this.#members.trust(isConnected);
      this.#tenants.trust(isConnected);
    };
    void signals.listen('chowk_membership', { onNotify: (key) => this.#invalidate(key), onConnectionChange });
    const onUserChange = (id: string) => this.#members.invalidateWhere(({ userId }) => userId === Number(id));
    void signals.listen('chowk_user', { onNotify: onUserChange, onConnectionChange });
    void signals.listen('chowk_role', { onNotify: (tenantId) => this.#invalidateRole(tenantId), onConnectionChange });
    const onDomainChange = (name: string) =>
      this.#tenants.invalidateWhere((tenants) => tenants.some(({ domain }) => domain === name));
    void signals.listen('chowk_domain', { onNotify: onDomainChange, onConnectionChange });
    void signals.listen('chowk_tenant', { onNotify: (id) => this.#invalidateTenant(id), onConnectionChange });
  }

  /** The caller's role and permissions in a tenant, limited to the scopes of the token and the rights of its maker. */
  find(caller: Caller, tenantId: string): MaybePromise<Membership | undefined> {
    return whenReady(this.#members.get(`${caller.id} ${tenantId}`), (membership) => {
      if (!membership || isOlder(caller, membership)) return undefined;
      const { scopes, tenantId: boundTo } = caller.session;
      if (boundTo !== undefined && boundTo !== tenantId) return undefined;
      const scoped = scopes ? limitTo(membership, (name) => scopes.has(name)) : membership;
      if (membership.makerId !== null) return this.#limitToMaker(scoped, membership.makerId, tenantId);
      return caller.signInEmailVerified ? scoped : this.#limitUnverified(scoped, tenantId);
    });
  }

  /** The rights of a user or an API client, whatever token they use. */
  findRights(userId: number, tenantId: string): MaybePromise<Membership | undefined> {
    return whenReady(this.#members.get(`${userId} ${tenantId}`), (membership) => {
      if (!membership) return undefined;
      if (membership.makerId !== null) return this.#limitToMaker(membership, membership.makerId, tenantId);
      return membership.isVerified ? membership : this.#limitUnverified(membership, tenantId);
    });
  }

  async listTenants(userId: number): Promise<readonly TenantOfUser[]> {
    return (await this.#tenants.get(String(userId))) ?? [];
  }

  async #limitToMaker(membership: Membership, makerId: number, tenantId: string): Promise<Membership | undefined> {
    const maker = await this.#members.get(`${makerId} ${tenantId}`);
    if (!maker) return undefined;
    const limited = limitTo(membership, (name) => maker.permissions.has(name));
    return maker.isVerified ? limited : this.#limitUnverified(limited, tenantId);
  }

  async #limitUnverified(membership: Membership, tenantId: string): Promise<Membership> {
    const { 'security.unverified_users': access } = await this.#settings.get(tenantId);
    if (access === 'full') return membership;
    const limited = limitTo(membership, (name) => access === 'view' && name.endsWith('.view'));
    return { ...limited, isUnverified: true };
  }

  #invalidate(key: string): void {
    this.#members.invalidate(key);
    this.#tenants.invalidate(key.split(' ')[0] ?? '');
  }

  /** An empty tenant id stands for a system role, which every tenant has. */
  #invalidateRole(tenantId: string): void {
    if (tenantId === '') {
      this.#members.invalidateWhere(() => true);
      this.#tenants.invalidateWhere(() => true);
    } else this.#invalidateTenant(tenantId);
  }

  #invalidateTenant(id: string): void {
    this.#members.invalidateWhere(({ tenantId }) => tenantId === id);
    this.#tenants.invalidateWhere((tenants) => tenants.some((tenant) => tenant.id === id));
  }
}

/** A personal access token covers the memberships that its user had when it was created. */
function isOlder({ session: { kind, authenticatedAt } }: Caller, { since }: CachedMembership): boolean {
  return kind === 'personal' && authenticatedAt < since;
}

function limitTo({ role, permissions }: Membership, isAllowed: (permission: string) => boolean): Membership {
  return { role, permissions: new Set([...permissions].filter(isAllowed)) };
}

async function loadMembership(central: Db, key: string): Promise<CachedMembership | undefined> {
  const [userId, tenantId = ''] = key.split(' ');
  const row = await central.row<MembershipRow>(sql`
    SELECT coalesce(r.name, 'API client') AS role, t.role AS tenant_role, coalesce(m.permissions, ARRAY(
      SELECT permission FROM role_permissions WHERE role_id = m.role_id)) AS permissions, c.created_by AS maker_id,
      m.created_at AS since, u.email_verified_at IS NOT NULL AS verified
    FROM memberships m JOIN tenants t ON t.id = m.tenant_id JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
      LEFT JOIN roles r ON r.id = m.role_id LEFT JOIN oauth_clients c ON c.user_id = m.user_id
    WHERE m.user_id = ${Number(userId)} AND m.tenant_id = ${tenantId} AND (u.kind = 'person' OR c.created_by IS NOT NULL)`);
  if (!row) return undefined;
  const { role, maker_id: makerId, verified: isVerified } = row;
  const permissions = new Set(row.permissions.filter((name) => hasEffectIn(name, row.tenant_role)).sort());
  return { userId: Number(userId), tenantId, role, permissions, makerId, since: Date.parse(row.since), isVerified };
}

function listTenants(central: Db, userId: number): Promise<TenantOfUser[]> {
  return central.rows<TenantOfUser>(sql`
    SELECT t.id, t.name, coalesce(r.name, 'API client') AS role, ${mainDomain} AS domain
    FROM memberships m JOIN tenants t ON t.id = m.tenant_id LEFT JOIN roles r ON r.id = m.role_id
    WHERE m.user_id = ${userId} AND t.status = 'active' ORDER BY t.name, t.id`);
}
