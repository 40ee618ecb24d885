import { signedIn } from '@chowk/kit';
import { fail } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/**
 * Membership comes before anything about the thing asked for, so that a stranger learns nothing about a tenant. A
 * module that the tenant does not have is as if it were not there.
 */
export async function authorise(exchange: Exchange): Promise<void> {
  const { kernel, request, mounted, caller, tenant, membership } = exchange;
  const { route } = mounted;
  if (!route.public && !caller) throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
  if (!route.public && tenant && !membership) throw fail('auth.not_a_member');
  if (route.module && tenant && !(await kernel.installations.has(tenant.id, route.module))) {
    throw fail('http.not_found', { method: request.method, path: request.url.split('?')[0] });
  }
  if (route.public || route.needs === signedIn) return;
  if (!membership?.permissions.has(route.needs)) throw fail('auth.forbidden', { permission: route.needs });
}
