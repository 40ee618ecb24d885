import { type Identity, platformState, type SystemServices } from '@chowk/kit';
import { AccessTokens } from './access-tokens.ts';
import { Memberships } from './memberships.ts';
import { Passwords } from './passwords.ts';
import { addMissingPermissions } from './seed.ts';
import { Sessions } from './sessions.ts';
import { SigningKeys } from './signing-keys.ts';

/** The parts of this module that keep state in memory: `accountsOf(ctx.system).sessions`. */
export const accountsOf = platformState((system: SystemServices) => {
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
  const { sessions, memberships } = accountsOf(system);
  await addMissingPermissions(system);
  return {
    authenticate: (token) => sessions.authenticate(token),
    membership: (caller, tenantId) => memberships.of(caller, tenantId),
  };
}
