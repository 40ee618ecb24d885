import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends the lines unchanged to a port on 127.0.0.1 and reads until the server closes the connection. */
export function sendLines(port: number, lines: readonly string[], body = ''): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    // A server that closes before it has read everything resets the connection after its response.
    socket.on('error', (error) => received === '' && reject(error));
    socket.on('close', () => resolve(readResponse(received)));
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

function readResponse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(start.split(' ')[1]), headers: Object.fromEntries(headers), text: text.slice(end + 4) };
}

/** The port of a listening server. */
export function getPort({ server }: FastifyInstance): number {
  return (server.address() as AddressInfo).port;
}
