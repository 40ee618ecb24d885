import { signedIn } from '@chowk/kit';
import { fail } from '../errors.ts';
import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { Exchange } from './exchange.ts';

/**
 * Membership comes before anything about the thing asked for, so that a stranger learns nothing about a tenant. A
 * module that the tenant does not have is as if it were not there.
 */
export function authorise(exchange: Exchange): MaybePromise<void> {
  const { kernel, request, mounted, caller, tenant, membership } = exchange;
  const { route } = mounted;
  if (!route.public && !caller) throw fail('auth.unauthenticated', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
  if (!route.public && tenant && !membership) throw fail('auth.not_a_member');
  if (!route.public && route.method !== 'GET' && caller?.frozen) throw fail('auth.password_exposed');
  const installed = !route.module || !tenant || kernel.installations.has(tenant.id, route.module);
  return andThen(installed, (there) => {
    if (!there) throw fail('http.not_found', { method: request.method, path: request.url.split('?')[0] });
    if (route.public) return;
    if (route.needs === signedIn) {
      // What needs no tenant is about the caller's account, and an API client has none.
      const isAboutAccount = (route.tenant ?? 'required') !== 'required';
      if (isAboutAccount && caller?.session.kind === 'client') throw fail('auth.no_account');
      return;
    }
    if (!membership?.permissions.has(route.needs)) throw fail('auth.forbidden', { permission: route.needs });
  });
}
