import type { IncomingMessage } from 'node:http';
import { fail } from '../errors.ts';
import { andThen, type MaybePromise } from '../maybe-promise.ts';
import type { Exchange } from './exchange.ts';

export function bindToTenant(exchange: Exchange): MaybePromise<void> {
  const { kernel, request, mounted } = exchange;
  const { tenant: wanted = 'required' } = mounted.route;
  if (wanted === 'none') return undefined;
  if (!namesOneHost(request.raw)) throw fail('tenancy.bad_host');
  const header = request.headers['x-tenant'] as string | undefined;
  // `host` believes X-Forwarded-Host from configured proxies only.
  return andThen(kernel.directory.bind({ host: request.host, header }), (binding) => {
    if (!binding && wanted === 'required') throw fail('tenancy.required');
    if (!binding) return;
    exchange.tenant = binding.tenant;
    exchange.reply.header('x-ring', kernel.config.ringName);
  });
}

/** Two Host headers, or one beside an address that names another host, may mean one tenant to a proxy and another to us. */
function namesOneHost({ rawHeaders, headers, url = '/' }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts !== 1 || url.startsWith('/')) return hosts === 1;
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase() === headers.host?.toLowerCase();
}
