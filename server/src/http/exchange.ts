import type { Db } from '@chowk/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Membership } from '../auth/identity.ts';
import { Context } from '../context.ts';
import type { Kernel, OwnedRoute } from '../kernel.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { Validator } from '../validation.ts';

/** A route with its schemas compiled, ready to be called. */
export interface MountedRoute {
  readonly route: OwnedRoute;
  /** The full path with parameters in Fastify's notation. */
  readonly path: string;
  readonly validateParams: Validator | undefined;
  readonly validateQuery: Validator | undefined;
  readonly validateBody: Validator | undefined;
}

/** An idempotency key that a request holds: its answer will be stored there. */
export interface IdempotencyClaim {
  readonly db: Db;
  readonly caller: string;
  readonly key: string;
}

/** What the steps of the pipeline have found out about a request so far. */
export interface Exchange {
  readonly kernel: Kernel;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly mounted: MountedRoute;
  tenant: TenantEntry | undefined;
  caller: Caller | undefined;
  membership: Membership | undefined;
  /** The body as it came, for the idempotency key. */
  rawBody: string | undefined;
  idempotency: IdempotencyClaim | undefined;
  /** The whole answer was given by a step; the handler is not run. */
  answered: boolean;
}

/** Before the first step: all that will be known has its place. */
export function newExchange(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  mounted: MountedRoute,
): Exchange {
  const unknown = { tenant: undefined, caller: undefined, membership: undefined };
  return { kernel, request, reply, mounted, ...unknown, rawBody: undefined, idempotency: undefined, answered: false };
}

/** What the route's own functions are given. */
export function contextOf({ kernel, request, mounted, tenant, caller, membership }: Exchange): Context {
  return new Context(kernel, {
    requestId: request.id,
    module: mounted.route.module,
    tenant,
    user: caller,
    membership,
    source: request,
  });
}

/** Waits only if it has to. */
export type Step = (exchange: Exchange) => MaybePromise<void>;
