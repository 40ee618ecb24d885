import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * When the server stops, requests in flight get their response with `Connection: close`. Otherwise keep-alive connections
 * would stay open, and the stop would wait for them.
 */
export function stopGracefully(app: FastifyInstance): void {
  let isStopping = false;
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    isStopping = true;
    // Browsers open spare connections, which Node does not count as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('Connection', 'close');
    done(null, payload);
  });
  // The headers of a streamed response may have been sent before the stop.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (isStopping) app.server.closeIdleConnections();
    done();
  });
}
