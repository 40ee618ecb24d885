import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ServerAddress } from '../src/db/server-address.ts';

/** A wire between us and PostgreSQL that a test can damage. */
export interface TcpProxy {
  /** The address of the upstream, by way of this proxy. */
  readonly address: ServerAddress;
  /** How many connections are being held, whatever state they are in. */
  readonly connections: number;
  /** Nothing passes any more, in either direction. New connections are accepted and get no answer. */
  blackHole(): void;
  /** The connections there are stay dead for ever, as behind a router that forgot them. New ones work. */
  freeze(): void;
  /** Every connection breaks, and new ones break at once. */
  cut(): void;
  /** New connections work, and what a black hole has held back flows on. */
  heal(): void;
  /** New connections lead to another server. */
  pointAt(upstream: ServerAddress): void;
}

interface Wire {
  readonly near: Socket;
  far: Socket | undefined;
  frozen: boolean;
}

/** Closed when the test is over. */
export async function startProxy(upstream: ServerAddress): Promise<TcpProxy> {
  let current = upstream;
  let state: 'sound' | 'black hole' | 'cut' = 'sound';
  const wires = new Set<Wire>();

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const wire: Wire = { near, far: undefined, frozen: false };
    wires.add(wire);
    near.on('error', () => drop(wire)).on('close', () => drop(wire));
    if (state === 'sound') join(wire);
  });

  function join(wire: Wire): void {
    wire.far ??= reach(current)
      .on('error', () => drop(wire))
      .on('close', () => drop(wire));
    wire.near.pipe(wire.far).pipe(wire.near);
  }

  function part({ near, far }: Wire): void {
    near.unpipe().pause();
    far?.unpipe().pause();
  }

  function drop(wire: Wire): void {
    wires.delete(wire);
    wire.near.destroy();
    wire.far?.destroy();
  }

  function cut(): void {
    state = 'cut';
    for (const wire of wires) drop(wire);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    cut();
    server.close();
  });

  return {
    address: { ...upstream, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    get connections() {
      return wires.size;
    },
    blackHole() {
      state = 'black hole';
      for (const wire of wires) part(wire);
    },
    freeze() {
      for (const wire of wires) {
        wire.frozen = true;
        part(wire);
      }
    },
    cut,
    heal() {
      state = 'sound';
      for (const wire of wires) if (!wire.frozen) join(wire);
    },
    pointAt(address) {
      current = address;
    },
  };
}

function reach({ host, port }: ServerAddress): Socket {
  const allowHalfOpen = true;
  if (host.startsWith('/')) return connect({ path: `${host}/.s.PGSQL.${port}`, allowHalfOpen });
  return connect({ host, port, allowHalfOpen });
}
