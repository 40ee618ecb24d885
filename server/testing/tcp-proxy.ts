import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ServerAddress } from '../src/db/server-address.ts';

/** A TCP proxy in front of PostgreSQL that simulates network failures. */
export interface TcpProxy {
  /** The upstream's address with the host and port of this proxy. */
  readonly address: ServerAddress;
  /** The number of open connections in any state. */
  readonly connections: number;
  /** Stops all traffic in both directions. New connections are accepted and get no response. */
  blackHole(): void;
  /** Stops all traffic on the current connections permanently, like a router that lost its state. New ones work. */
  freeze(): void;
  /** Closes every connection, and new ones at once. */
  cut(): void;
  /** New connections work, and traffic stopped by `blackHole` continues. */
  heal(): void;
  /** New connections go to another server. */
  pointAt(upstream: ServerAddress): void;
}

interface Link {
  readonly client: Socket;
  upstream: Socket | undefined;
  frozen: boolean;
}

/** Closed after the test, or when `onEnd` says. */
export async function startProxy(
  upstream: ServerAddress,
  onEnd: (close: () => void) => void = onTestFinished,
): Promise<TcpProxy> {
  let current = upstream;
  let state: 'open' | 'black hole' | 'cut' = 'open';
  const links = new Set<Link>();

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const link: Link = { client, upstream: undefined, frozen: false };
    links.add(link);
    client.on('error', () => drop(link)).on('close', () => drop(link));
    if (state === 'open') connectLink(link);
  });

  function connectLink(link: Link): void {
    link.upstream ??= connectTo(current)
      .on('error', () => drop(link))
      .on('close', () => drop(link));
    link.client.pipe(link.upstream).pipe(link.client);
  }

  function disconnect({ client, upstream }: Link): void {
    client.unpipe().pause();
    upstream?.unpipe().pause();
  }

  function drop(link: Link): void {
    links.delete(link);
    link.client.destroy();
    link.upstream?.destroy();
  }

  function cut(): void {
    state = 'cut';
    for (const link of links) drop(link);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(() => {
    cut();
    server.close();
  });

  return {
    address: { ...upstream, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    get connections() {
      return links.size;
    },
    blackHole() {
      state = 'black hole';
      for (const link of links) disconnect(link);
    },
    freeze() {
      for (const link of links) {
        link.frozen = true;
        disconnect(link);
      }
    },
    cut,
    heal() {
      state = 'open';
      for (const link of links) if (!link.frozen) connectLink(link);
    },
    pointAt(address) {
      current = address;
    },
  };
}

function connectTo({ host, port }: ServerAddress): Socket {
  const allowHalfOpen = true;
  if (host.startsWith('/')) return connect({ path: `${host}/.s.PGSQL.${port}`, allowHalfOpen });
  return connect({ host, port, allowHalfOpen });
}
