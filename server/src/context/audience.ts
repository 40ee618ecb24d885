import type { Audience } from '@chowk/kit/kernel';
import { mayReceive, type Principal } from '../actions/authorize.ts';
import type { RegisteredEvent } from '../events/event-hub.ts';
import type { Kernel } from '../kernel.ts';

/** What a user may get of events now. `undefined`: the caller; `null`: nobody. */
export async function findAudience(
  { identity, events, installations }: Pick<Kernel, 'identity' | 'events' | 'installations'>,
  caller: Principal,
  userId: number | null | undefined,
): Promise<Audience> {
  const principal = userId === undefined ? caller : await findUser(identity, caller, userId);
  const allowed: Record<string, RegisteredEvent> = {};
  for (const [name, event] of Object.entries(events.declared)) {
    if (await mayReceive(installations, event, principal)) allowed[name] = event;
  }
  const { membership, system } = principal;
  return {
    isMember: membership !== undefined,
    can: (permission) => system ?? membership?.permissions.has(permission) ?? false,
    events: allowed,
  };
}

async function findUser(
  identity: Kernel['identity'],
  { tenant }: Principal,
  userId: number | null,
): Promise<Principal> {
  const membership = userId === null || !tenant ? undefined : await identity.rights(userId, tenant.id);
  return { tenant, caller: undefined, membership };
}
