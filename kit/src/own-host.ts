import { isIP } from 'node:net';
import type { Client } from './identity.ts';
import type { SystemServices } from './system-services.ts';

type Names = Pick<SystemServices, 'url' | 'baseDomain'>;

/**
 * Whether a request was sent to a name of this platform or to an IP address. Any other name may be that of a web page whose
 * author makes it resolve to this machine, to read from its visitors' network (DNS rebinding).
 */
export function isOwnHost({ url, baseDomain }: Names, { host }: Pick<Client, 'host'>): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '');
  if (['localhost', baseDomain, new URL(url).hostname].includes(name) || name.endsWith(`.${baseDomain}`)) return true;
  return isIP(name.replace(/^\[|\]$/g, '')) > 0;
}

/** Whether a request was sent by a page of this platform, or by no web page. */
export function isOwnOrigin({ url }: Names, { host, header }: Pick<Client, 'host' | 'header'>): boolean {
  const origin = header('origin');
  return origin === undefined || origin === url || URL.parse(origin)?.host === host.toLowerCase();
}
