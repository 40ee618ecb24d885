import { type Identity, platformState, type SystemServices } from '@chowk/kit';
import { AccessTokens } from './access-tokens.ts';
import { Memberships } from './memberships.ts';
import { Passwords } from './passwords.ts';
import { addMissingPermissions } from './seed.ts';
import { Sessions } from './sessions.ts';
import { SigningKeys } from './signing-keys.ts';

type IdentityChange = Parameters<Parameters<Identity['onChange']>[0]>[0];

/** The services of this module that keep state in memory: `getAccounts(ctx.system).sessions`. */
export const getAccounts = platformState((system: SystemServices) => {
  const keys = new SigningKeys(system);
  const tokens = new AccessTokens(keys, system);
  return {
    keys,
    sessions: new Sessions(tokens, system),
    memberships: new Memberships(system),
    passwords: new Passwords(system.options.bcryptCost),
  };
});

/** Authenticates requests by the tokens and memberships of this module. */
export async function createIdentity(system: SystemServices): Promise<Identity> {
  const { sessions, memberships } = getAccounts(system);
  await addMissingPermissions(system);
  return {
    authenticate: (token) => sessions.authenticate(token),
    membership: (caller, tenantId) => memberships.find(caller, tenantId),
    rights: (userId, tenantId) => memberships.findRights(userId, tenantId),
    session: (id) => sessions.findCaller(id),
    onChange: (listener) => listenToChanges(system, listener),
  };
}

/** After the listeners of the caches, so that the listener finds the new state. */
function listenToChanges({ signals }: SystemServices, listener: (change: IdentityChange) => void): void {
  const changes: Record<string, (payload: string) => IdentityChange> = {
    chowk_session: (sessionId) => ({ sessionId }),
    chowk_user: (userId) => ({ userId: Number(userId) }),
    // The payload is the user and the tenant. An API client loses its access with the membership of its maker.
    chowk_membership: (payload) => ({ tenantId: payload.split(' ')[1] ?? '' }),
    // Empty for a system role, which every tenant has.
    chowk_role: (tenantId) => (tenantId === '' ? {} : { tenantId }),
  };
  for (const [channel, readChange] of Object.entries(changes)) {
    void signals.listen(channel, {
      onNotify: (payload) => listener(readChange(payload)),
      onConnectionChange: (isConnected) => isConnected && listener({}),
    });
  }
}
