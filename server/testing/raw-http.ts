import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Writes the lines as they are to a server on this machine and reads until it closes the connection. */
export function sendLines(port: number, lines: readonly string[], body = ''): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    // A server that hangs up on what it has not read resets the connection, after its answer.
    socket.on('error', (error) => received === '' && reject(error));
    socket.on('close', () => resolve(readAnswer(received)));
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

function readAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [start = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(start.split(' ')[1]), headers: Object.fromEntries(headers), text: text.slice(end + 4) };
}

/** The port a listening server was given. */
export function portOf({ server }: FastifyInstance): number {
  return (server.address() as AddressInfo).port;
}
