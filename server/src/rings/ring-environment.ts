import type { Config } from '../config/config.ts';
import { ringLockFile } from '../loader/lock-path.ts';
import type { Ring } from '../tenancy/rings.ts';

interface FrontAddress {
  readonly ring: Ring;
  /** All rings of the front. */
  readonly rings: readonly Ring[];
  readonly frontUrl: string;
  readonly publicUrl: string;
}

/** The minimum of `DATABASE_CONNECTIONS`. */
const minConnections = 4;

/** The variables in which the process of a ring differs from its front. */
export function ringEnvironment(
  config: Config,
  { ring, rings, frontUrl, publicUrl }: FrontAddress,
): Record<string, string> {
  const connections = Math.max(minConnections, Math.floor(config.databaseConnections / rings.length));
  // The front knows where the processes listen.
  const urls = { ...config.ringUrls, ...Object.fromEntries(rings.map(({ name }) => [name, frontUrl])) };
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    APP_URL: publicUrl,
    RING_NAME: ring.name,
    MODULE_LOCK_PATH: ringLockFile(config, ring),
    RING_URLS: Object.entries(urls)
      .map(([name, url]) => `${name}=${url}`)
      .join(','),
    TRUSTED_PROXIES: ['loopback', ...config.trustedProxies].join(','),
    DATABASE_CONNECTIONS: String(connections),
    DATABASE_CONNECTIONS_PER_TENANT: String(Math.min(config.databaseConnectionsPerTenant, connections)),
  };
}
