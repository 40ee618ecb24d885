import { signedIn } from '@chowk/kit';
import { fail } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/** Membership comes before anything about the thing asked for, so that a stranger learns nothing about a tenant. */
export function authorise({ mounted, caller, tenant, membership }: Exchange): void {
  const { route } = mounted;
  if (route.public) return;
  if (!caller) throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
  if (tenant && !membership) throw fail('auth.not_a_member');
  if (route.needs === signedIn) return;
  if (!membership?.permissions.has(route.needs)) throw fail('auth.forbidden', { permission: route.needs });
}
