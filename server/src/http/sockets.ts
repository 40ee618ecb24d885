import type { IncomingMessage } from 'node:http';
import { action, type Failure } from '@chowk/kit/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { handleProtocols } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { type RegisteredAction, registerActions } from '../actions/registry.ts';
import { fail } from '../errors.ts';
import { SubscriptionServer } from '../graphql/subscription-server.ts';
import type { Kernel } from '../kernel.ts';
import { networkPrefix } from '../network.ts';
import { codes, maxMessageBytes } from '../realtime/protocol.ts';
import { bearerToken } from './authenticate.ts';
import { Exchange, type Route } from './exchange.ts';
import { identify } from './pipeline.ts';
import { countFailedLookup } from './rate-limit.ts';
import { inputReader } from './read-input.ts';
import type { Upgrades } from './upgrades.ts';

/** Not among the actions of the kernel: they have no response. */
const [connect, subscribe] = registerActions(
  {
    'realtime.connect': action({
      summary: 'Open a WebSocket connection',
      http: 'GET /app/:key',
      root: true,
      public: true,
      tenant: 'optional',
      errors: ['realtime.upgrade_required'],
      run: async () => {},
    }),
    'graphql.subscribe': action({
      summary: 'Open a WebSocket connection for GraphQL subscriptions',
      http: 'GET /graphql',
      // The first message can name the token and the tenant.
      public: true,
      tenant: 'optional',
      run: async () => {},
    }),
  },
  { module: undefined, tag: 'Realtime' },
) as [RegisteredAction, RegisteredAction];

/** Other requests with an `Upgrade` header, such as h2c of curl, are ordinary requests. */
export function isSocketRequest({ url = '', headers }: IncomingMessage): boolean {
  const isSocketPath = url.startsWith('/app/') || url.split('?')[0] === subscribe.path;
  return isSocketPath && headers.upgrade?.toLowerCase() === 'websocket';
}

interface OpenSocket {
  close(code: number, reason: string): void;
}

interface SocketRoute {
  readonly action: RegisteredAction;
  readonly server: WebSocketServer;
  /** The failure of a request that does not ask for a socket. */
  readonly failure: () => Failure;
  readonly accept: (socket: WebSocket, exchange: Exchange) => OpenSocket;
  readonly constraints?: { readonly isSocket: boolean };
}

const socketConstraint = {
  name: 'isSocket',
  storage() {
    let found: unknown = null;
    return {
      get: (isSocket: unknown) => (isSocket ? found : null) as never,
      set: (_: unknown, handler: unknown) => {
        found = handler;
      },
    };
  },
  deriveConstraint: (request: IncomingMessage) => isSocketRequest(request) || undefined,
  mustMatchWhenDerived: false,
};

/** Serves the Pusher protocol at `/app/{key}` and GraphQL subscriptions. The requests pass the same steps as all others. */
export async function mountSockets(app: FastifyInstance, kernel: Kernel, upgrades: Upgrades): Promise<void> {
  const { realtime, feed } = kernel;
  const subscriptions = new SubscriptionServer(kernel);
  const sockets = new Set<OpenSocket>();
  let isStopping = false;
  const closeForRestart = (socket: OpenSocket) => socket.close(codes.reconnect, 'The server is restarting.');
  app.addHook('preClose', async () => {
    isStopping = true;
    subscriptions.close();
    for (const socket of sockets) closeForRestart(socket);
  });

  // Besides the socket there is an action at the same path.
  app.addConstraintStrategy(socketConstraint);

  const mount = ({ action, server, failure, accept, constraints }: SocketRoute) => {
    const route: Route = {
      action,
      hasUpload: false,
      readBody: () => undefined,
      readInput: inputReader(action),
      gate: undefined,
      hasEtag: false,
      bodyLimit: 0,
    };
    app.get(action.path, {
      ...(constraints && { constraints }),
      handler: async (request: FastifyRequest, reply) => {
        const exchange = new Exchange(kernel, request, reply, route);
        request.exchange = exchange;
        await identify(exchange);
        const upgrade = upgrades.get(request.raw);
        if (!upgrade) throw failure();
        reply.hijack();
        reply.raw.detachSocket(upgrade.socket as never);
        server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
          const open = accept(socket, exchange);
          sockets.add(open);
          socket.on('close', () => sockets.delete(open));
          if (isStopping) closeForRestart(open);
        });
      },
    });
  };

  const options = { noServer: true, maxPayload: maxMessageBytes, clientTracking: false };
  mount({
    action: connect,
    server: new WebSocketServer(options),
    failure: () => fail('realtime.upgrade_required', {}, { headers: { Upgrade: 'websocket' } }),
    accept: (socket, { request, tenant }) => {
      const { key } = request.params as { key: string };
      const { protocol } = request.query as { protocol?: string };
      return realtime.accept(socket, { key, protocol, tenant, network: networkPrefix(request.ip) });
    },
  });
  mount({
    action: subscribe,
    server: new WebSocketServer({ ...options, handleProtocols }),
    constraints: { isSocket: true },
    failure: () => fail('realtime.upgrade_required', {}, { headers: { Upgrade: 'websocket' } }),
    accept: (socket, exchange) => {
      const { request, tenant } = exchange;
      const { ip, host, headers } = request;
      return subscriptions.accept(socket, {
        source: { ip, host, headers, socket: { remoteAddress: request.socket.remoteAddress } },
        network: networkPrefix(ip),
        tenant,
        token: bearerToken(request),
        onFailedLookup: () => countFailedLookup(exchange),
      });
    },
  });
  await realtime.start();
  await feed.start();
}
