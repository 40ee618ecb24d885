/** The site of a network: the /48 of an IPv6 /64, which providers give to one customer. An IPv4 address is its own. */
export function findSite(network: string): string {
  return network.split(':').slice(0, 3).join(':');
}
