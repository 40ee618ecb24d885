import { type Socket, Server as TcpServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a stop keeps idle connections: their clients may be about to send a request. */
const drainMs = 500;

/**
 * A stop accepts no new connections. Requests on open ones get their response with `Connection: close`, so that each
 * client moves on; then idle connections are closed, and requests in flight are finished.
 */
export function stopGracefully(app: FastifyInstance): void {
  let isStopping = false;
  let isDrained = false;
  const sockets = new Set<Socket>();
  let onEmpty = () => {};
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) onEmpty();
    });
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    // Unlike `close` of an HTTP server, it leaves idle connections open.
    TcpServer.prototype.close.call(app.server);
    if (sockets.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainMs);
        onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    isDrained = true;
    // Browsers open spare connections, which Node does not count as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('Connection', 'close');
    done(null, payload);
  });
  // The headers of a streamed response may have been sent before the stop.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (isDrained) app.server.closeIdleConnections();
    done();
  });
}
