import type { Caller, Membership } from '@chowk/kit/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RegisteredAction } from '../actions/registry.ts';
import type { FileChanges } from '../files/file-store.ts';
import type { ReceivedFile } from '../files/received-file.ts';
import type { Kernel } from '../kernel.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { ReadInput } from './read-input.ts';

/** An action that is served over HTTP. */
export interface Route {
  readonly action: RegisteredAction;
  readonly readInput: ReadInput;
  readonly hasEtag: boolean;
}

/** The state of one request and its response, filled in by the steps of the pipeline. */
export interface Exchange {
  readonly kernel: Kernel;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: Route;
  tenant: TenantEntry | undefined;
  caller: Caller | undefined;
  membership: Membership | undefined;
  /** The unparsed body, which the idempotency key is compared with. */
  rawBody: string | undefined;
  /** The file in the body, closed when the action has run. */
  upload: ReceivedFile | undefined;
  /** The files that a request with an upload writes. */
  writtenFiles: FileChanges | undefined;
}

/** All fields are set at once, so that every exchange has the same object shape. */
export function newExchange(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, route: Route): Exchange {
  const unresolved = { tenant: undefined, caller: undefined, membership: undefined };
  const body = { rawBody: undefined, upload: undefined, writtenFiles: undefined };
  return { kernel, request, reply, route, ...unresolved, ...body };
}

/** Returns a promise only if it has to wait. */
export type Step = (exchange: Exchange) => Promise<void> | void;
