import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { action } from '@chowk/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { type RegisteredAction, registerActions } from '../actions/registry.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { networkOf } from '../network.ts';
import type { Connection } from '../realtime/connection.ts';
import { codes, maxMessageBytes } from '../realtime/protocol.ts';
import { type Exchange, newExchange, type Step } from './exchange.ts';
import { pipeline } from './pipeline.ts';
import { inputReader } from './read-input.ts';

/** Not among the actions of the kernel: it has no response. */
const [connect] = registerActions(
  {
    'realtime.connect': action({
      ...{
        summary: 'Open a WebSocket connection',
        http: 'GET /app/:key',
        root: true,
        public: true,
        tenant: 'optional',
      },
      errors: ['realtime.upgrade_required'],
      run: async () => {},
    }),
  },
  { module: undefined, tag: 'Realtime' },
) as [RegisteredAction];

/** Other requests with an `Upgrade` header, such as h2c of curl, are ordinary requests. */
export function isSocketRequest({ url, headers }: IncomingMessage): boolean {
  return url?.startsWith('/app/') === true && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Serves sockets at `/app/{key}`. Their requests pass the same steps as all others. */
export async function mountSockets(app: FastifyInstance, kernel: Kernel): Promise<void> {
  const { realtime } = kernel;
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, clientTracking: false });
  const upgrades = new WeakMap<IncomingMessage, { readonly socket: Duplex; readonly head: Buffer }>();
  const connections = new Set<Connection>();
  let isStopping = false;
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.on('finish', () => socket.end());
    app.routing(request, response);
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    for (const connection of connections) connection.close(codes.reconnect, 'The server is restarting.');
  });
  const route = { action: connect, readInput: inputReader(connect), hasEtag: false };
  app.get('/app/:key', {
    onRequest: async (request, reply) => {
      request.exchange = newExchange(kernel, request, reply, route);
      for (const step of pipeline.beforeBody as Step[]) await step(request.exchange);
    },
    handler: async (request: FastifyRequest, reply) => {
      const upgrade = upgrades.get(request.raw);
      if (!upgrade) throw fail('realtime.upgrade_required', {}, { headers: { Upgrade: 'websocket' } });
      const { tenant } = request.exchange as Exchange;
      const { key } = request.params as { key: string };
      const { protocol } = request.query as { protocol?: string };
      reply.hijack();
      reply.raw.detachSocket(upgrade.socket as never);
      server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
        const connection = realtime.accept(socket, { key, protocol, tenant, network: networkOf(request.ip) });
        connections.add(connection);
        socket.on('close', () => connections.delete(connection));
        if (isStopping) connection.close(codes.reconnect, 'The server is restarting.');
      });
    },
  });
  await realtime.start();
}
