import type { IncomingMessage } from 'node:http';
import { Failure } from '@chowk/kit/kernel';
import { tenantForAction } from '../actions/resolve-caller.ts';
import { fail } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import { countFailedLookup } from './rate-limit.ts';

/** Binds the request to the tenant named by its host or by `X-Tenant`. */
export async function bindTenant(exchange: Exchange): Promise<void> {
  const { kernel, request, route } = exchange;
  if (route.action.tenant !== 'none' && !hasOneHost(request.raw)) throw fail('tenancy.bad_host');
  const header = request.headers['x-tenant'] as string | undefined;
  // `request.host` honors X-Forwarded-Host from trusted proxies only.
  try {
    const found = tenantForAction(kernel.directory, route.action, { host: request.host, header });
    exchange.tenant = found instanceof Promise ? await found : found;
  } catch (error) {
    if (error instanceof Failure && error.code === 'tenancy.unknown') countFailedLookup(exchange);
    throw error;
  }
  if (exchange.tenant) exchange.reply.header('x-ring', kernel.config.ringName);
}

/** With two Host headers, or a Host that differs from an absolute URL, a proxy could see another tenant than we do. */
export function hasOneHost({ rawHeaders, headers, url = '/' }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts !== 1 || url.startsWith('/')) return hosts === 1;
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase() === headers.host?.toLowerCase();
}
