import { Agent, type ServerResponse } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { MaybePromise } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { forwardRequest, hasBody, NotForwarded } from './forward-request.ts';
import { forwardSocket, type Upgrade } from './forward-socket.ts';
import { type ForwardedRequest, forwardedHeaders } from './forwarded-headers.ts';

/** The URL of a ring's process; `undefined` if it is not known, or not running for a while. */
export type FindUrl = (ring: string) => MaybePromise<string | undefined>;

/** How long a request waits for a ring whose process restarts. */
export const maxWaitMs = 10_000;
const retryMs = 100;
/**
 * A request is forwarded again if its tenant is assigned to another ring meanwhile; behind a front that takes two hops. More
 * often, and two processes send a request to each other because their `RING_URLS` are wrong.
 */
const maxHops = 8;

/** Errors after which the process may be there soon. */
const restarting = /^(ECONNREFUSED|ECONNRESET|EPIPE)$/;

/** Sends requests to the processes of other rings. */
export class RingForwarder {
  readonly #findUrl: FindUrl;
  readonly #agents = new Map<string, Agent>();

  constructor(findUrl: FindUrl) {
    this.#findUrl = findUrl;
  }

  /** Rejects with a failure if the client has got no response. */
  async forward(ring: string, request: ForwardedRequest, response: ServerResponse): Promise<void> {
    await this.#attempt(ring, request, response, (target) =>
      forwardRequest({
        agent: this.#agentFor(target.origin),
        target,
        request: request.raw,
        response,
        headers: forwardedHeaders(request, target),
      }),
    );
  }

  /** Rejects with a failure if the ring cannot be reached. */
  async forwardSocket(ring: string, request: ForwardedRequest, response: ServerResponse, upgrade: Upgrade) {
    await this.#attempt(ring, request, response, (target) =>
      forwardSocket(target, {
        url: request.raw.url ?? '/',
        headers: forwardedHeaders(request, target),
        upgrade,
        onConnect: () => response.detachSocket(upgrade.socket as never),
      }),
    );
  }

  /** Finishes requests to a process that stops, and sends no further ones. */
  retire(url: string): void {
    const agent = this.#agents.get(url);
    this.#agents.delete(url);
    for (const sockets of Object.values(agent?.freeSockets ?? {})) for (const socket of sockets ?? []) socket.destroy();
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  async #attempt(
    ring: string,
    { raw, hops }: ForwardedRequest,
    response: ServerResponse,
    send: (target: URL) => Promise<void>,
  ): Promise<void> {
    if (hops >= maxHops) throw fail('rings.too_many_hops', { ring });
    // Only a proxy may be asked for such a path.
    if (!raw.url?.startsWith('/') && raw.url !== '*') throw fail('http.bad_request');
    const deadline = performance.now() + maxWaitMs;
    for (let isRepeated = false; ; await pause(retryMs)) {
      const found = this.#findUrl(ring);
      const url = found instanceof Promise ? await found : found;
      if (url === undefined) throw fail('rings.unreachable', { ring });
      try {
        return await send(new URL(url));
      } catch (error) {
        if (!(error instanceof NotForwarded)) throw fail('http.bad_request', {}, { cause: error });
        const { isSent, cause } = error;
        const canRepeat = !isSent || (!isRepeated && /^(GET|HEAD)$/.test(raw.method ?? '') && !hasBody(raw));
        if (!canRepeat) throw fail('rings.interrupted', { ring }, { cause });
        const { code = '' } = cause as NodeJS.ErrnoException;
        const isRestarting = restarting.test(code);
        if (!isRestarting || performance.now() > deadline || response.destroyed) {
          throw fail('rings.unreachable', { ring }, { cause });
        }
        isRepeated ||= isSent;
      }
    }
  }

  #agentFor(origin: string): Agent {
    const known = this.#agents.get(origin);
    if (known) return known;
    // The process of the ring has its own limits on how long a request may take.
    const options = { keepAlive: true, scheduling: 'lifo', maxFreeSockets: 256 } as const;
    const agent = origin.startsWith('https:') ? new TlsAgent(options) : new Agent(options);
    this.#agents.set(origin, agent);
    return agent;
  }
}
