import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * When the server stops, requests in flight are answered and their clients told to connect anew. Without that, their
 * connections would stay open for the next request and the stop would wait for it.
 */
export function stopCleanly(app: FastifyInstance): void {
  let stopping = false;
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    stopping = true;
    // Browsers open connections that they may never use; to Node these are busy until they time out.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('Connection', 'close');
    done(null, payload);
  });
  // The headers of a long answer may have been sent before the stop.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (stopping) app.server.closeIdleConnections();
    done();
  });
}
