import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Upgrade } from '../rings/forward-socket.ts';

/** The connections of the requests that ask for a socket. */
export type Upgrades = WeakMap<IncomingMessage, Upgrade>;

/** Passes requests for sockets through the steps of all others. */
export function routeUpgrades(app: FastifyInstance): Upgrades {
  const upgrades: Upgrades = new WeakMap();
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.on('finish', () => socket.end());
    app.routing(request, response);
  });
  return upgrades;
}
