import { randomUUID } from 'node:crypto';
import type { Caller, Identity, Membership } from '@chowk/kit/kernel';

let lastUserId = 0;

/** Creates callers without accounts. Passed to `boot`, which production calls without it. */
export class TestIdentity implements Identity {
  readonly #callers = new Map<string, Caller>();
  readonly #memberships = new Map<string, Membership>();

  async authenticate(token: string): Promise<Caller | undefined> {
    return this.#callers.get(token);
  }

  async membership(caller: Caller, tenantId: string): Promise<Membership | undefined> {
    return this.#memberships.get(`${caller.id} ${tenantId}`);
  }

  async rights(userId: number, tenantId: string): Promise<Membership | undefined> {
    return this.#memberships.get(`${userId} ${tenantId}`);
  }

  async session(id: string): Promise<Caller | undefined> {
    return this.#callers.values().find(({ session }) => session.id === id);
  }

  onChange(): void {}

  /** Creates a user and a token for them. */
  mint(): { caller: Caller; token: string } {
    lastUserId += 1;
    const caller = {
      id: lastUserId,
      name: `User ${lastUserId}`,
      email: `user${lastUserId}@example.com`,
      emailVerified: true,
      signInEmail: `user${lastUserId}@example.com`,
      signInEmailVerified: true,
      twoFactor: false,
      session: { id: randomUUID(), kind: 'login' as const, scopes: undefined, authenticatedAt: Date.now() },
    };
    const token = `test-${randomUUID()}`;
    this.#callers.set(token, caller);
    return { caller, token };
  }

  join(caller: Caller, tenantId: string, permissions: readonly string[]): void {
    this.#memberships.set(`${caller.id} ${tenantId}`, { role: 'Test', permissions: new Set(permissions) });
  }
}
