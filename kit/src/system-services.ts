import type { Db } from './database.ts';
import type { FieldError } from './errors.ts';
import type { Settings } from './settings.ts';

/** Where a call comes from. */
export interface Client {
  readonly address: string;
  /** What counts as one place: the address, or of an IPv6 address its /64. */
  readonly network: string;
  readonly userAgent: string | undefined;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined;
}

export type SessionKind = 'login' | 'device' | 'personal' | 'client';

/** What the caller's token belongs to. */
export interface Session {
  readonly id: string;
  readonly kind: SessionKind;
  /** Permissions the token is limited to; `undefined`: whatever its user may do. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** When the user last proved who it is, in milliseconds since 1970. */
  readonly authenticatedAt: number;
}

export interface NewSession {
  readonly userId: number;
  readonly kind: SessionKind;
  readonly clientId?: string | undefined;
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly client: Pick<Client, 'address' | 'userAgent'>;
}

/** What who signs in is given. */
export interface Tokens {
  readonly token_type: 'Bearer';
  readonly access_token: string;
  /** In seconds. */
  readonly expires_in: number;
  readonly refresh_token: string;
}

/** A session that a token belongs to, as it is kept. */
export interface FoundSession {
  readonly id: string;
  readonly userId: number;
  readonly clientId: string | null;
  readonly scopes: readonly string[] | null;
}

/** Sessions and the tokens that belong to them. Whatever is ended here is refused by every process inTransaction a second. */
export interface Sessions {
  /** In the given transaction, so that what led to it happens with it or not at all. */
  open(session: NewSession, options?: { readonly db?: Db }): Promise<Tokens>;
  /** An access token that cannot be refreshed. */
  openBriefly(session: NewSession, options?: { readonly db?: Db }): Promise<Omit<Tokens, 'refresh_token'>>;
  /** The next pair; `undefined` for a token that is nobody's, over, or used before, which ends its session. */
  refresh(
    refreshToken: string,
    clientId?: string,
  ): Promise<(Tokens & { readonly userId: number; readonly scopes: readonly string[] | null }) | undefined>;
  /** A token that is no JWT and is good until it is revoked; shown this once. */
  issuePersonal(
    session: NewSession & { readonly expiresAt?: string | undefined },
  ): Promise<{ id: string; token: string }>;
  /** The session of a refresh token or an access token that was good once. */
  find(token: string): Promise<FoundSession | undefined>;
  revoke(sessionId: string): Promise<void>;
  /** Ends every session of a user, but for one it is to keep; personal access tokens too. */
  revokeAll(userId: number, options?: { readonly except?: string; readonly db?: Db }): Promise<void>;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Takes as long for no hash as for a wrong password. Few at a time: `admit` is asked when its turn has come, and may
   * throw.
   */
  verify(password: string, hash: string | null | undefined, admit?: () => void): Promise<boolean>;
}

/** What is derived from the key of the installation; `purpose` keeps one use from serving as another. */
export interface Secrets {
  /** Encrypts; `context` (say, tenant and field) must be the same to read it again. */
  seal(purpose: string, text: string, context?: string): string;
  /** What was sealed; throws for anything else. */
  open(purpose: string, sealed: string, context?: string): string;
  /** A signature that fits a URL. */
  sign(purpose: string, text: string): string;
  isSignature(purpose: string, text: string, signature: string): boolean;
}

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly passwordHash?: string | undefined;
  readonly emailVerified?: boolean;
}

export interface Accounts {
  /** Whether another account has the address or may still return to it. */
  isTaken(db: Db, email: string): Promise<boolean>;
  /** Makes a user in the given transaction; `undefined` if the address is taken. */
  create(db: Db, account: NewAccount): Promise<number | undefined>;
  /** Makes a user a member with one of the five roles. */
  join(db: Db, userId: number, tenantId: string, role: string): Promise<void>;
}

export interface Permission {
  readonly name: string;
  readonly category: string;
  /** Does harm that cannot be undone, or shows what is private. */
  readonly is_sensitive: boolean;
}

export interface Permissions {
  /** The platform's own, category by category; modules may bring more. */
  readonly catalogue: readonly Permission[];
  /** Whether a permission has any effect in a tenant that is this on the platform. */
  actsIn(permission: string, tenantRole: string): boolean;
}

export interface NewTenant {
  /** Becomes the id and an alias. Absent: the random domain is the id as well. */
  readonly id?: string;
  readonly name: string;
  readonly role?: 'platform_owner' | 'reseller' | 'merchant';
  readonly aliases?: readonly string[];
}

export interface Tenants {
  /** What is wrong with an id for a new tenant: not a label, reserved or taken. */
  problemOf(id: string): Promise<FieldError | undefined>;
  /** The active tenant that an id or a domain leads to, as a request is bound to it. Throws 404 when there is none. */
  find(label: string): Promise<{ id: string; name: string }>;
  /**
   * Makes a tenant with its domains and its database; `inTransaction` runs in the transaction that makes it active, so that
   * both happen or neither.
   */
  create(tenant: NewTenant, inTransaction?: (db: Db) => Promise<void>): Promise<{ id: string; name: string }>;
  /** Finishes a tenant whose creation was interrupted. The caller knows that nobody else is at it. */
  finish(id: string, inTransaction?: (db: Db) => Promise<void>): Promise<void>;
}

/** The settings of tenants. `can` decides about settings that have their own permission. */
export interface SettingsService {
  /** The settings that the caller may see, with defaults filled in. */
  visible(tenantId: string, can: (permission: string) => boolean): Promise<Settings>;
  /** Changes all of the settings or, if one of them is invalid, none. `null` restores the default. */
  change(tenantId: string, changes: Settings, can: (permission: string) => boolean): Promise<void>;
}

export interface TenantDomain {
  readonly domain: string;
  readonly kind: 'random' | 'alias';
  readonly created_at: string;
}

/** The domains of tenants: labels below the base domain, in lower case. */
export interface DomainsService {
  list(tenantId: string): Promise<TenantDomain[]>;
  /** Adds an alias. Throws 422 when the label is invalid, reserved or taken. */
  add(tenantId: string, domain: string): Promise<TenantDomain>;
  /** Removes an alias. Throws 404 when there is none, 409 when the domain must stay. */
  remove(tenantId: string, domain: string): Promise<void>;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Limits {
  /** Whether the key has room for one more in this minute, without taking it. */
  has(key: string, perMinute: number): boolean;
  /** Takes one. Throws 429 when there is no room. */
  take(key: string, perMinute: number): void;
}

export interface SeedCounts {
  readonly roles: number;
  readonly permissions: number;
  readonly modules: number;
  readonly settings: number;
}

/** The public half of a signing key, as a JWK. */
export type PublicKey = Readonly<Record<string, unknown>> & { readonly kid: string };

/** What the kernel does for system modules alone. */
export interface SystemServices {
  readonly version: string;
  readonly environment: 'local' | 'testing' | 'production';
  /** Where people reach the platform, without a slash at the end. */
  readonly url: string;
  /** Tenants are below it: `acme.<base domain>`. */
  readonly baseDomain: string;
  readonly storagePath: string;
  /** What the operator has set. */
  readonly options: SystemOptions;
  readonly accounts: Accounts;
  readonly permissions: Permissions;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly tenants: Tenants;
  readonly settings: SettingsService;
  readonly domains: DomainsService;
  readonly limits: Limits;
  readonly keys: {
    /** Makes the key pair unless there is one. */
    ensure(): Promise<{ created: boolean }>;
    /** Signs with a new key from now on; the old one is believed until its last token is over, or not at all. */
    rotate(options: { revoke: boolean }): Promise<{ kid: string }>;
    list(): Promise<readonly PublicKey[]>;
  };
  readonly mail: {
    /** Sends soon, and tries again for hours. */
    send(mail: Mail): Promise<void>;
    /** What was kept instead of sent, the newest first; nothing where mails are sent. */
    kept(): Promise<readonly KeptMail[]>;
  };
  /** The tenants a user belongs to. */
  tenantsOf(userId: number): Promise<readonly { id: string; name: string; role: string }[]>;
  /** Brings the central database up to date. */
  migrate(): Promise<{ applied: number; skipped: number }>;
  /** Roles, permissions, what modules bring along, settings: what is missing is added, nothing else is touched. */
  seed(): Promise<SeedCounts>;
  /** Whether there is nothing left for `seed` to add. */
  isSeeded(): Promise<boolean>;
  /** One for all tenants: what may be lost or a little old. */
  readonly cache: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown, seconds: number): Promise<void>;
    delete(key: string): Promise<void>;
  };
  /** Whether the cache answers, and what it is. */
  pingCache(): Promise<{ up: boolean; name: string }>;
  /** Runs `work` after every other process that is at the same work. */
  oneAtATime<Result>(lock: string, work: () => Promise<Result>): Promise<Result>;
  /** Drops every database of the installation and begins anew. It destroys all data. */
  reset(): Promise<void>;
}

export interface SystemOptions {
  readonly installToken: string | undefined;
  readonly signup: boolean;
  readonly signedLinksOnly: boolean;
  readonly loginFailuresPerMinute: number;
  readonly resendsPerMinute: number;
}

export interface KeptMail extends Mail {
  readonly id: string;
  readonly from: string;
  readonly at: string;
}
