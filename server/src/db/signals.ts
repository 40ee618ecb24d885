import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log, SignalListener, SignalSource } from '@chowk/kit/kernel';
import type pg from 'pg';
import { type ConnectionLimits, createClient, endClient } from './connection.ts';
import type { ServerAddress } from './server-address.ts';

/** A connection that does not answer a heartbeat for this long is replaced, because it may miss notifications. */
const heartbeatMs = 5_000;

/** The process notifies itself on this channel: once that arrives, all earlier notifications have arrived too. */
const echoChannel = 'chowk_echo';
const echoTimeoutMs = 1_000;

/** An arbitrary number that no other two-part advisory lock uses. */
const lockSpace = 6_318_610;

/** PostgreSQL's LISTEN, NOTIFY and advisory locks between processes, on one dedicated connection. */
export class Signals implements SignalSource {
  readonly #createClient: () => pg.Client;
  readonly #log: Log;
  readonly #listeners = new Map<string, SignalListener[]>();
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #reconnecting: Promise<void> | undefined;
  readonly #pendingEchoes = new Map<string, () => void>();

  constructor(address: ServerAddress, database: string, limits: ConnectionLimits, log: Log) {
    const signalLimits = { ...limits, queryTimeoutMs: heartbeatMs };
    this.#createClient = () => createClient(address, database, signalLimits, { query_timeout: heartbeatMs + 2_000 });
    this.#log = log;
    void this.listen(echoChannel, {
      onNotify: (id) => this.#pendingEchoes.get(id)?.(),
      // Caches are cleared on every connection change, so there is nothing left to wait for.
      onConnectionChange: () => this.#pendingEchoes.forEach((resolve) => void resolve()),
    });
  }

  /** Settles when the listeners have received the notifications of every change committed before the call. */
  async waitUntilApplied(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const id = randomUUID();
    const echo = new Promise<void>((resolve) => this.#pendingEchoes.set(id, resolve));
    const timer = setTimeout(() => this.#pendingEchoes.get(id)?.(), echoTimeoutMs);
    client.query('SELECT pg_notify($1, $2)', [echoChannel, id]).catch(() => this.#pendingEchoes.get(id)?.());
    await echo;
    clearTimeout(timer);
    this.#pendingEchoes.delete(id);
  }

  /** Takes a lock among all processes. It ends with `unlock` or with the connection, so a dead process holds none. */
  async tryLock(name: string): Promise<boolean> {
    const result = await this.#client?.query('SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked', [
      lockSpace,
      name,
    ]);
    return result?.rows[0]?.locked ?? false;
  }

  async unlock(name: string): Promise<void> {
    await this.#client?.query('SELECT pg_advisory_unlock($1, hashtext($2))', [lockSpace, name]);
  }

  /** After `start`, the listener receives notifications once the promise has settled. */
  async listen(channel: string, listener: SignalListener): Promise<void> {
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), listener]);
    await this.#client?.query(`LISTEN "${channel}"`);
  }

  /** Fails if the server cannot be reached. After a later loss the connection is restored automatically. */
  async start(): Promise<void> {
    const { lost } = await this.#connect();
    this.#reconnecting = this.#reconnectWhenLost(lost);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    if (this.#client) await endClient(this.#client);
    await this.#reconnecting;
  }

  async #reconnectWhenLost(firstLost: Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    for (let lost = firstLost; ; ) {
      await lost;
      if (signal.aborted) return;
      this.#reportConnection(false);
      this.#log.warn({}, 'lost the connection for notifications; caches are off until it is restored');
      for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
        await pause(wait, undefined, { signal, ref: false }).catch(() => {});
        if (signal.aborted) return;
        try {
          lost = (await this.#connect()).lost;
          this.#log.info({}, 'restored the connection for notifications');
          break;
        } catch {}
      }
    }
  }

  /** Connects and listens on every channel. `lost` settles when the connection ends. */
  async #connect(): Promise<{ lost: Promise<void> }> {
    const client = this.#createClient();
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener.onNotify(payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of this.#listeners.keys()) await client.query(`LISTEN "${channel}"`);
      this.#stopping.signal.throwIfAborted();
    } catch (error) {
      await endClient(client);
      throw error;
    }
    this.#client = client;
    this.#reportConnection(true);
    const heartbeat = setInterval(() => client.query('SELECT 1').catch(() => endClient(client)), heartbeatMs).unref();
    const cleanUp = () => {
      clearInterval(heartbeat);
      void endClient(client);
    };
    return { lost: ended.finally(cleanUp) };
  }

  #reportConnection(isConnected: boolean): void {
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners) listener.onConnectionChange(isConnected);
    }
  }
}
