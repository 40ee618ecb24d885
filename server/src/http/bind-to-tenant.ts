import type { IncomingMessage } from 'node:http';
import { fail } from '../errors.ts';
import { bindTenant } from '../tenancy/bind.ts';
import type { Exchange } from './exchange.ts';

/** Anything else, such as `acme.localhost:80@example.com`, is one host to us and another to a proxy. */
const hostAndPort = /^(?:[\w.-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

export async function bindToTenant(exchange: Exchange): Promise<void> {
  const { kernel, request, reply, mounted } = exchange;
  const { tenant: wanted = 'required' } = mounted.route;
  if (wanted === 'none') return;
  // `host` and `hostname` believe X-Forwarded-Host from configured proxies only.
  if (!namesOneHost(request.raw) || !hostAndPort.test(request.host)) throw fail('tenancy.bad_host');
  const header = request.headers['x-tenant'] as string | undefined;
  const claim = { host: request.hostname, header };
  const binding = await bindTenant(kernel.directory, kernel.config.baseDomain, claim);
  if (binding) {
    exchange.tenant = binding.tenant;
    reply.header('X-Ring', kernel.config.ringName);
  } else if (wanted === 'required') {
    throw fail('tenancy.required');
  }
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
