import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { atRate, preciseTime } from './pace.ts';

/* A WebSocket server that only sends: the comparison for realtime.ts, which talks to it over IPC. */

export type BareRequest = { readonly memory: true } | { readonly events: number; readonly perSecond: number };

const sockets: WebSocket[] = [];
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, clientTracking: false }, () => {
  process.send?.((server.address() as AddressInfo).port);
});
server.on('connection', (socket) => {
  sockets.push(socket);
  socket.on('close', () => sockets.splice(sockets.indexOf(socket), 1));
});

process.on('disconnect', () => process.exit());
process.on('message', async (request: BareRequest) => {
  if ('memory' in request) {
    for (let times = 0; times < 3; times += 1) globalThis.gc?.();
    process.send?.(process.memoryUsage());
    return;
  }
  await atRate(request.events, request.perSecond, (n) => {
    const data = JSON.stringify({ at: preciseTime() });
    sockets[n % sockets.length]?.send(JSON.stringify({ event: 'tick', channel: `bench.${n}`, data }));
  });
  process.send?.('sent');
});
