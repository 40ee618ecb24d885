import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log, SignalListener, SignalSource } from '@chowk/kit';
import type pg from 'pg';
import { type ConnectionLimits, endClient, makeClient } from './connection.ts';
import type { ServerAddress } from './server-address.ts';

/** A connection that looks alive but answers nothing for this long is given up: it would be deaf without knowing. */
const heartbeatMs = 5_000;

/** What a process says to itself, to know that it has heard all that was said before. */
const echoChannel = 'chowk_echo';
/** Nobody waits longer than this for its own voice. */
const echoMs = 1_000;

/** What processes tell each other over PostgreSQL's LISTEN and NOTIFY, on one connection of its own. */
export class Signals implements SignalSource {
  readonly #open: () => pg.Client;
  readonly #log: Log;
  readonly #listeners = new Map<string, SignalListener[]>();
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #keeping: Promise<void> | undefined;
  readonly #echoes = new Map<string, () => void>();

  constructor(address: ServerAddress, database: string, limits: ConnectionLimits, log: Log) {
    const patient = { ...limits, queryTimeoutMs: heartbeatMs };
    this.#open = () => makeClient(address, database, patient, { query_timeout: heartbeatMs + 2_000 });
    this.#log = log;
    void this.listen(echoChannel, {
      onNotify: (id) => this.#echoes.get(id)?.(),
      // What is not heard is not kept either: there is nothing to wait for.
      onConnectionChange: () => this.#echoes.forEach((settle) => void settle()),
    });
  }

  /** Settles when every change committed before has been heard here, so that nobody reads what it has just changed. */
  async waitUntilApplied(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const id = randomUUID();
    const heard = new Promise<void>((resolve) => this.#echoes.set(id, resolve));
    const timer = setTimeout(() => this.#echoes.get(id)?.(), echoMs);
    // If the connection is lost, so is all that was kept.
    client.query('SELECT pg_notify($1, $2)', [echoChannel, id]).catch(() => this.#echoes.get(id)?.());
    await heard;
    clearTimeout(timer);
    this.#echoes.delete(id);
  }

  /** Hears what is said on the channel from now on; after `start`, as soon as the promise settles. */
  async listen(channel: string, listener: SignalListener): Promise<void> {
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), listener]);
    await this.#client?.query(`LISTEN "${channel}"`);
  }

  /** Connects once, so that a start against an unreachable server fails; later losses heal by themselves. */
  async start(): Promise<void> {
    const { gone } = await this.#connect();
    this.#keeping = this.#keep(gone);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    if (this.#client) await endClient(this.#client);
    await this.#keeping;
  }

  async #keep(lost: Promise<void>): Promise<void> {
    const stopped = this.#stopping.signal;
    for (let again = lost; ; ) {
      await again;
      if (stopped.aborted) return;
      this.#tell(false);
      this.#log.warn({}, 'lost the connection that hears changes; caches are off until it is back');
      for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
        await pause(wait, undefined, { signal: stopped, ref: false }).catch(() => {});
        if (stopped.aborted) return;
        try {
          again = (await this.#connect()).gone;
          this.#log.info({}, 'hearing changes again');
          break;
        } catch {}
      }
    }
  }

  /** Listens on every channel. `gone` settles when the connection is lost. */
  async #connect(): Promise<{ gone: Promise<void> }> {
    const client = this.#open();
    const gone = new Promise<void>((resolve) => {
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
    this.#tell(true);
    const heartbeat = setInterval(() => client.query('SELECT 1').catch(() => endClient(client)), heartbeatMs).unref();
    const over = () => {
      clearInterval(heartbeat);
      void endClient(client);
    };
    return { gone: gone.finally(over) };
  }

  #tell(ok: boolean): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.onConnectionChange(ok);
  }
}
