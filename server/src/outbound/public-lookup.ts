import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { fail } from '../errors.ts';
import { isPublicAddress } from './public-address.ts';

/** Returns the addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Asks the name servers only, without the hosts file and search domains of this machine. Unlike `dns.lookup`, it holds none
 * of libuv's few threads while a slow name server does not respond.
 */
export const resolvePublicName: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return addresses;
};

/**
 * The lookup of a connection: the socket connects to one of the addresses that were checked. Hosts that the operator allows
 * are looked up by the system and may have any address.
 */
export function publicLookup(resolve: Resolve, isAllowed: boolean): LookupFunction {
  if (isAllowed) return systemLookup as LookupFunction;
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        if (!addresses.every(isPublicAddress)) return callback(refused(hostname), []);
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), []);
        return all ? callback(null, found) : callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

export function firstAddress(hostname: string, lookup: LookupFunction): Promise<string> {
  return new Promise((found, failed) => {
    lookup(hostname, {}, (error, address) => (error ? failed(error) : found(address as string)));
  });
}

export function refused(host: string) {
  return fail('outbound.address_refused', { host });
}
