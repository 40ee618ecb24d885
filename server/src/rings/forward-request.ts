import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import { hostOf } from '../network.ts';
import { responseHeaders } from './forwarded-headers.ts';

const connectTimeoutMs = 5_000;

/** Nothing has been sent to the client yet. */
export class NotForwarded extends Error {
  override readonly name = 'NotForwarded';
  /** Whether the ring may have received the request. */
  readonly isSent: boolean;

  constructor(cause: Error, isSent: boolean) {
    super(cause.message, { cause });
    this.isSent = isSent;
  }
}

interface Forwarding {
  readonly agent: Agent;
  readonly target: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: string[];
}

/**
 * Streams the request to the ring and its response to the client. Rejects with `NotForwarded` if there is no response. With
 * `node:http`, because undici since 7.28 waits a millisecond before it uses an idle connection.
 */
export function forwardRequest({ agent, target, request: own, response, headers }: Forwarding): Promise<void> {
  return new Promise((resolve, reject) => {
    const isTls = target.protocol === 'https:';
    const options: RequestOptions = {
      agent,
      host: hostOf(target),
      port: target.port,
      path: own.url as string,
      method: own.method as string,
      headers: headers as never,
      setHost: false,
    };
    const sent = isTls ? requestTls({ ...options, servername: serverName(target) }) : request(options);
    let isSent = false;
    onConnect(sent, isTls ? 'secureConnect' : 'connect', () => {
      isSent = true;
      // Not before: what was read could not be sent again to a ring that restarts.
      if (hasBody(own)) own.pipe(sent);
      else sent.end();
    });
    response.once('close', () => response.writableFinished || sent.destroy(new Error('the client is gone')));
    sent.once('response', (received) => {
      sent.on('error', () => {});
      writeResponse(received, response).finally(resolve);
    });
    sent.once('error', (error) => reject(new NotForwarded(error, isSent)));
  });
}

/** The name in the certificate of the ring, not the host that the client has asked for. An address has none. */
export function serverName(target: URL): string {
  const host = hostOf(target);
  return isIP(host) === 0 ? host : '';
}

/** Calls back when the request may reach the ring; ends a request that cannot be connected. */
function onConnect(sent: ClientRequest, event: 'connect' | 'secureConnect', onConnected: () => void): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return onConnected();
    const onTimeout = () => sent.destroy(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' }));
    socket.setTimeout(connectTimeoutMs, onTimeout);
    socket.once(event, () => {
      socket.setTimeout(0);
      socket.off('timeout', onTimeout);
      onConnected();
    });
  });
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Writes the response of a ring to the client, at the pace of the client. */
function writeResponse(received: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(received.statusCode as number, responseHeaders(received.rawHeaders));
  // The first part of a stream may take long.
  if (received.headers['content-length'] === undefined) {
    setImmediate(() => received.complete || response.flushHeaders());
  }
  return new Promise((resolve) => {
    received.on('data', (chunk: Buffer) => {
      if (!response.write(chunk)) received.pause();
    });
    response.on('drain', () => received.resume());
    received.once('end', () => response.end());
    // The client sees that the response is not complete.
    received.on('error', () => response.destroy());
    received.once('close', resolve);
  });
}
