import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Failure } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { newId } from '../ids.ts';

/** Responds to bytes that are not an HTTP request with the usual error body, then closes the connection. */
export function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message, code } = asFailure(error.code);
  const body = JSON.stringify({ message, code });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${newId()}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function asFailure(code: string | undefined): Failure {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Failure('http.bad_request', 408, 'The request was not received in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new Failure('http.bad_request', 431, 'The URL and headers of the request are too long.');
    default:
      return fail('http.bad_request');
  }
}
