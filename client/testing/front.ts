import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What happens to a request: nothing special, its response is lost or delayed, there is none, or another one without being passed on. */
export type Fault =
  | 'lost response'
  | 'no-response'
  | 'none'
  | { readonly delayedUntil: Promise<void> }
  | { readonly status: number; readonly headers?: Record<string, string> };

/** A proxy in front of a platform that injects faults. */
export interface Front {
  readonly url: string;
  readonly requests: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** The faults of the next requests, one each. */
  readonly faults: Fault[];
  /** Settles when the number of requests has arrived. */
  arrival(count: number): Promise<void>;
}

export async function startFront(platform: string): Promise<Front> {
  const requests: Front['requests'] = [];
  const faults: Fault[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers });
    const fault = faults.shift();
    server.emit('arrival');
    if (fault === 'no-response') return;
    if (typeof fault === 'object' && 'status' in fault) return response.writeHead(fault.status, fault.headers).end();
    const answer = await passOn(platform, request);
    if (fault === 'lost response') return request.socket.destroy();
    if (typeof fault === 'object') await fault.delayedUntil;
    await reply(response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    requests,
    faults,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async arrival(count) {
      while (requests.length < count) await once(server, 'arrival');
    },
  };
}

async function passOn(platform: string, request: IncomingMessage): Promise<Response> {
  const body = await text(request);
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  return fetch(platform + request.url, {
    method: request.method as string,
    headers: headers as Record<string, string>,
    ...(body === '' ? {} : { body }),
  });
}

async function reply(response: ServerResponse, answer: Response): Promise<void> {
  const { 'content-encoding': _, 'content-length': __, ...headers } = Object.fromEntries(answer.headers);
  response.writeHead(answer.status, headers).end(await answer.text());
}
