import type { MaybePromise } from './when-ready.ts';

export interface User {
  readonly id: number;
  readonly name: string;
  /** The address that the user entered last. */
  readonly email: string;
  readonly emailVerified: boolean;
  /** The address for mails and signing in. `null` for API clients, and if another account has verified it first. */
  readonly signInEmail: string | null;
  /** Whether the user has proved to receive mails at that address. Always true for API clients. */
  readonly signInEmailVerified: boolean;
  readonly twoFactor: boolean;
}

export type SessionKind = 'login' | 'device' | 'personal' | 'client';

/** The session that the caller's token belongs to. */
export interface Session {
  readonly id: string;
  readonly kind: SessionKind;
  /** The OAuth client that the token was issued to: an API client, an app or a program of the platform. */
  readonly clientId?: string | undefined;
  /** The only tenant that the token is valid in, such as the one that has approved an app. */
  readonly tenantId?: string | undefined;
  /** The permissions that the token is limited to; `undefined`: no limit beyond the user's own. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** When the user last proved their identity, in milliseconds since 1970. */
  readonly authenticatedAt: number;
}

/** The user that a bearer token belongs to. */
export interface Caller extends User {
  readonly session: Session;
}

/** The caller's role and permissions in one tenant. */
export interface Membership {
  readonly role: string;
  readonly permissions: ReadonlySet<string>;
  /** Only read-only actions are allowed until the user has verified the email address. */
  readonly isUnverified?: boolean;
}

/** What has changed. Without a field, any value of it may have changed. */
export interface IdentityChange {
  readonly sessionId?: string;
  readonly userId?: number;
  readonly tenantId?: string;
}

/** Authenticates callers. A system module provides it. The first two functions are called for every request. */
export interface Identity {
  /** `undefined` for a token that is unknown, expired or revoked. */
  authenticate(token: string): MaybePromise<Caller | undefined>;
  /** `undefined` if the caller is not a member of the tenant. */
  membership(caller: Caller, tenantId: string): MaybePromise<Membership | undefined>;
  /** The rights of a user without a session, such as the one who saved a rule; `undefined` if they are not a member. */
  rights(userId: number, tenantId: string): MaybePromise<Membership | undefined>;
  /** The caller of a session, for sockets, which outlive their token; `undefined` if it has expired or is revoked. */
  session(id: string): Promise<Caller | undefined>;
  /** Calls the listener when sessions, users or memberships have changed, in any process. */
  onChange(listener: (change: IdentityChange) => void): void;
}

/** Where a call comes from. */
export interface Client {
  readonly address: string;
  /** The IPv4 address, or the /64 prefix of an IPv6 address. Limits and known networks use it. */
  readonly network: string;
  /** The network or, of IPv6, its /48 prefix, which providers give to one customer. Limits use it as well. */
  readonly site: string;
  readonly userAgent: string | undefined;
  /** The host that the request was sent to, with its port. */
  readonly host: string;
  /** Whether the call comes from this machine, and not through a proxy. */
  readonly isLocal: boolean;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined;
}
