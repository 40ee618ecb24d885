import type { Caller, Db, MaybePromise, Membership } from '@chowk/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RegisteredAction } from '../actions/registry.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { ReadInput } from './read-input.ts';

/** An action as it is served over HTTP. */
export interface Route {
  readonly action: RegisteredAction;
  readonly readInput: ReadInput;
  /** Whether its output is a record with an `ETag`. */
  readonly isVersioned: boolean;
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
  readonly route: Route;
  tenant: TenantEntry | undefined;
  caller: Caller | undefined;
  membership: Membership | undefined;
  /** The body as it came, for the idempotency key. */
  rawBody: string | undefined;
  idempotency: IdempotencyClaim | undefined;
  /** The whole answer was given by a step; the action is not run. */
  answered: boolean;
}

/** Before the first step: all that will be known has its place. */
export function newExchange(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, route: Route): Exchange {
  const unknown = { tenant: undefined, caller: undefined, membership: undefined };
  return { kernel, request, reply, route, ...unknown, rawBody: undefined, idempotency: undefined, answered: false };
}

/** Waits only if it has to. */
export type Step = (exchange: Exchange) => MaybePromise<void>;
