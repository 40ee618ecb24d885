import { type MaybePromise, whenReady } from '@chowk/kit/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../errors.ts';
import { parseConsolePath } from '../loader/console-files.ts';
import { isLoopback } from '../network.ts';
import { hopsHeader } from '../rings/forwarded-headers.ts';
import type { RingForwarder } from '../rings/ring-forwarder.ts';
import type { Directory } from '../tenancy/directory.ts';
import { hasOneHost } from './bind-tenant.ts';
import type { Upgrades } from './upgrades.ts';

export interface ForwardOptions {
  readonly directory: Directory;
  readonly forwarder: RingForwarder;
  readonly upgrades: Upgrades;
  /** The ring to which a request is forwarded that names this ring or none; `undefined` if this process serves it. */
  readonly choose: (named: string | undefined) => MaybePromise<string | undefined>;
  /** Whether the network has looked up too many unknown tenants: nothing is looked up for it. */
  readonly isLimited: (request: FastifyRequest) => boolean;
  /** Called when the tenant of a request cannot be found. */
  readonly onUnknown?: (request: FastifyRequest) => void;
}

/** Not bound to a tenant: it reports about the ring that the host names. */
const health = /^\/api\/health(?:[/?]|$)/;
/** All rings have the same console. */
const consoleFile = /^\/(?:assets\/|favicon\.svg$)/;

/**
 * Returns the step that sends a request to the ring of its tenant. It comes before the routes: other rings may have other
 * ones. `serve` is called if this process serves the request, with an error if the ring cannot be reached.
 */
export function forwardStep(app: FastifyInstance, options: ForwardOptions) {
  const { directory, forwarder, upgrades, choose, isLimited, onUnknown } = options;
  const findTarget = (request: FastifyRequest, hops: number): MaybePromise<string | undefined> => {
    const { host, url, headers } = request;
    if (consoleFile.test(url)) return choose(undefined);
    if (health.test(url)) return whenReady(directory.findRingInHost(host), choose);
    if (isLimited(request)) return choose(undefined);
    // A browser loads a script without headers of its own.
    const header = parseConsolePath(url)?.tenant ?? (headers['x-tenant'] as string | undefined);
    const claim = { host, header };
    const target = whenReady(directory.findRing(claim), choose);
    if (hops === 0 || !isFromProxy(request)) return target;
    // Another process sent it here: one of the two has not yet heard of an assignment.
    return whenReady(target, (other) => (other === undefined ? other : whenReady(directory.readRing(claim), choose)));
  };
  const send = async (ring: string, request: FastifyRequest, reply: FastifyReply, hops: number) => {
    const { raw, id, ip, host, protocol } = request;
    if (!hasOneHost(raw)) throw fail('tenancy.bad_host');
    const forwarded = { raw, id, ip, host, protocol, hops };
    const upgrade = upgrades.get(raw);
    // Clients of a process that stops connect again.
    if (!app.server.listening) reply.raw.shouldKeepAlive = false;
    if (upgrade) await forwarder.forwardSocket(ring, forwarded, reply.raw, upgrade);
    else await forwarder.forward(ring, forwarded, reply.raw);
  };
  return (request: FastifyRequest, reply: FastifyReply, serve: (error?: Error) => void): void => {
    const hops = readHops(request);
    const proceed = (target: string | undefined): void => {
      if (target === undefined) serve();
      else send(target, request, reply, hops).catch(serve);
    };
    const target = findTarget(request, hops);
    if (!(target instanceof Promise)) {
      proceed(target);
      return;
    }
    const chooseWithoutTenant = () => {
      onUnknown?.(request);
      return choose(undefined);
    };
    target.catch(chooseWithoutTenant).then(proceed).catch(serve);
  };
}

/** The header of others counts as well, so that two processes never send a request to each other for ever. */
function readHops({ headers }: FastifyRequest): number {
  return Math.max(0, Number.parseInt(String(headers[hopsHeader] ?? 0), 10) || 0);
}

/** Whether a trusted proxy or a process of this machine has sent the request: others cannot make it read the assignment. */
function isFromProxy({ raw, ips = [] }: FastifyRequest): boolean {
  return ips.length > 1 || isLoopback(raw.socket.remoteAddress ?? '');
}
