import { randomInt } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { Grant } from './grant.ts';
import { activityTimeout, type Code, codes, formatError, formatEvent } from './protocol.ts';

/** A client that does not read is disconnected when this much waits for it. */
export const maxBufferedBytes = 1024 * 1024;
export const terminateAfterMs = 2_000;

export interface Subscription {
  readonly grant: Grant | undefined;
}

/** One socket of a client. */
export class Connection {
  readonly id = `${randomInt(1, 2 ** 47)}.${randomInt(1, 2 ** 47)}`;
  readonly subscriptions = new Map<string, Subscription>();
  /** Once set it never changes to another tenant. */
  tenant: TenantEntry | undefined;
  /** Messages received since the last sweep. */
  messages = 0;
  /** In milliseconds since 1970. */
  lastSeenAt = Date.now();
  isClosed = false;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, tenant: TenantEntry | undefined) {
    this.#socket = socket;
    this.tenant = tenant;
  }

  /** Whether the process of the socket has to check it again after the change of a session, a user or a tenant. */
  isAffectedBy({ sessionId, userId, tenantId }: { sessionId?: string; userId?: number; tenantId?: string }): boolean {
    if (tenantId !== undefined) return this.tenant?.id === tenantId;
    if (sessionId === undefined && userId === undefined) return true;
    return this.grantsInUse().some((grant) => grant.sessionId === sessionId || grant.userId === userId);
  }

  grantsInUse(): Grant[] {
    return [...this.subscriptions.values()].flatMap(({ grant }) => grant ?? []);
  }

  establish(): void {
    this.send(formatEvent('pusher:connection_established', { socket_id: this.id, activity_timeout: activityTimeout }));
  }

  send(frame: string | Buffer): void {
    if (this.isClosed) return;
    if (this.#socket.bufferedAmount > maxBufferedBytes) this.close(codes.overCapacity, 'The client is too slow.');
    else this.#socket.send(frame, { binary: false });
  }

  close(code: Code, message: string): void {
    if (this.isClosed) return;
    this.#socket.send(formatError(message, code));
    this.isClosed = true;
    this.#socket.close(code, message);
    // A client that does not answer would hold the connection for 30 seconds.
    setTimeout(() => this.#socket.terminate(), terminateAfterMs).unref();
  }
}
