import type { Session, User } from '@chowk/kit';
import type { MaybePromise } from '../maybe-promise.ts';

/** Who calls, as a bearer token proves it. */
export interface Caller extends User {
  /** What the token belongs to. */
  readonly session: Session;
  /** Somebody else knows the password: nothing may be changed until it is chosen anew. */
  readonly frozen: boolean;
}

/** What a caller is in one tenant. */
export interface Membership {
  readonly role: string;
  readonly permissions: ReadonlySet<string>;
}

/** Turns tokens into callers and callers into members. */
export interface Identity {
  /** The caller a token belongs to; `undefined` for a token that is nobody's, is over or was revoked. */
  authenticate(token: string): MaybePromise<Caller | undefined>;
  membership(caller: Caller, tenantId: string): MaybePromise<Membership | undefined>;
}
