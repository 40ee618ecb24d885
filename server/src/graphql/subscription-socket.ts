import type { GraphqlError, GraphqlSubscription } from '@chowk/kit/kernel';
import { MessageType } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { RequestSource } from '../network.ts';
import { maxBufferedBytes, terminateAfterMs } from '../realtime/connection.ts';
import { codes } from '../realtime/protocol.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/** The request that opened a socket. */
export interface SocketRequest {
  readonly source: RequestSource;
  readonly network: string;
  /** The tenant of the host or of `X-Tenant`. */
  readonly tenant: TenantEntry | undefined;
  /** The bearer token of its header. */
  readonly token: string | undefined;
  /** Counts the lookup of an unknown tenant or token. */
  onFailedLookup(): void;
}

/** The caller, who is looked up again for each event. */
export interface SocketSession {
  readonly token: string;
  readonly id: string;
  readonly tenant: TenantEntry;
}

export interface SocketSubscription {
  /** `undefined` until it is accepted. */
  accepted?: GraphqlSubscription;
  unsubscribe(): void;
}

/** Events that wait for earlier ones. */
const maxWaiting = 1_000;

/** One socket of a client that speaks `graphql-transport-ws`. */
export class SubscriptionSocket {
  readonly request: SocketRequest;
  readonly subscriptions = new Map<string, SocketSubscription>();
  isInitialized = false;
  /** Set when the client is signed in. */
  session: SocketSession | undefined;
  /** Messages received lately. */
  messages = 0;
  /** In milliseconds since 1970. */
  readonly openedAt = Date.now();
  lastSeenAt = Date.now();
  isClosed = false;
  readonly #socket: WebSocket;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(socket: WebSocket, request: SocketRequest) {
    this.#socket = socket;
    this.request = request;
  }

  /** Runs the work after the work that was added before: events arrive in order. */
  enqueue(work: () => Promise<void>): void {
    if (this.#waiting >= maxWaiting) {
      this.close(codes.overCapacity, 'The client is too slow.');
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
  }

  send(message: { readonly type: MessageType; readonly id?: string; readonly payload?: unknown }): void {
    if (this.isClosed) return;
    if (this.#socket.bufferedAmount > maxBufferedBytes) this.close(codes.overCapacity, 'The client is too slow.');
    else this.#socket.send(JSON.stringify(message));
  }

  ping(): void {
    if (!this.isClosed) this.#socket.ping();
  }

  /** Ends a subscription that the server does not continue. */
  refuse(id: string, errors: readonly GraphqlError[]): void {
    if (this.end(id)) this.send({ id, type: MessageType.Error, payload: errors });
  }

  /** Returns whether there was a subscription. */
  end(id: string): boolean {
    this.subscriptions.get(id)?.unsubscribe();
    return this.subscriptions.delete(id);
  }

  /** No event is sent after this, even if the client delays the end of the connection. */
  close(code: number, reason: string): void {
    for (const id of [...this.subscriptions.keys()]) this.end(id);
    if (this.isClosed) return;
    this.isClosed = true;
    this.#socket.close(code, reason);
    // A client that does not answer would hold the connection for 30 seconds.
    setTimeout(() => this.#socket.terminate(), terminateAfterMs).unref();
  }
}
