import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { hostOf } from '../network.ts';
import { NotForwarded, serverName } from './forward-request.ts';

/** A request to open a socket, whose connection the HTTP server has handed over. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What the client has sent after the request. */
  readonly head: Buffer;
}

interface SocketForwarding {
  readonly url: string;
  readonly headers: readonly string[];
  readonly upgrade: Upgrade;
  /** Called when the ring can be reached, before the first byte is sent to the client. */
  readonly onConnect: () => void;
}

const connectTimeoutMs = 5_000;

/** Connects the client with the process at the target: what the two say to each other is theirs. */
export async function forwardSocket(
  target: URL,
  { url, headers, upgrade: { socket, head }, onConnect }: SocketForwarding,
): Promise<void> {
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const host = hostOf(target);
  const upstream =
    target.protocol === 'https:'
      ? connectTls({ host, port, servername: serverName(target) })
      : connectTcp({ host, port });
  try {
    await once(upstream, target.protocol === 'https:' ? 'secureConnect' : 'connect', {
      signal: AbortSignal.timeout(connectTimeoutMs),
    });
  } catch (error) {
    upstream.on('error', () => {});
    upstream.destroy();
    throw new NotForwarded(error as Error, false);
  }
  onConnect();
  upstream.setNoDelay(true);
  upstream.write(requestHead(url, headers));
  if (head.length > 0) upstream.write(head);
  // Each ends with the other, after the last bytes.
  pipeline(socket, upstream, () => {});
  pipeline(upstream, socket, () => {});
}

function requestHead(url: string, headers: readonly string[]): string {
  let text = `GET ${url} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}
