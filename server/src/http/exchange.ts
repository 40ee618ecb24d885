import type { Caller, Membership } from '@chowk/kit/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEntry } from '../actions/audit-log.ts';
import type { Call } from '../actions/call.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { Context } from '../context/context.ts';
import type { FileChanges } from '../files/file-store.ts';
import type { ReceivedFile } from '../files/received-file.ts';
import type { Kernel } from '../kernel.ts';
import type { Validator } from '../schemas/validation.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { checkOrigin } from './check-origin.ts';
import type { Gate } from './gates.ts';
import type { ReadInput } from './read-input.ts';

/** An action that is served over HTTP. */
export interface Route {
  readonly action: RegisteredAction;
  readonly hasUpload: boolean;
  /** Reads the body of a request. `undefined` if it has none. */
  readonly readBody: (exchange: Exchange) => Promise<unknown> | undefined;
  readonly readInput: ReadInput;
  readonly gate: Gate | undefined;
  readonly hasEtag: boolean;
  readonly bodyLimit: number;
}

/** A request and its response: a call of an action over HTTP, filled in by the steps of the pipeline. */
export class Exchange implements Call {
  readonly transport = 'rest';
  readonly kernel: Kernel;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: Route;
  tenant: TenantEntry | undefined;
  caller: Caller | undefined;
  membership: Membership | undefined;
  /** The body as text, which identifies the request of an idempotency key. */
  bodyText: string | undefined;
  input: unknown;
  validate: Validator | undefined;
  ignoredFields: string[] = [];
  /** The file in the body, closed when the action has run. */
  upload: ReceivedFile | undefined;
  /** The files that a request with an upload writes. */
  writtenFiles: FileChanges | undefined;
  runOnce: Call['runOnce'];

  constructor(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, route: Route) {
    this.kernel = kernel;
    this.request = request;
    this.reply = reply;
    this.route = route;
  }

  get action(): RegisteredAction {
    return this.route.action;
  }

  get requestId(): string {
    return this.request.id;
  }

  get clientAddress(): string {
    return this.request.ip;
  }

  get isAudited(): boolean {
    return this.route.action.isAudited;
  }

  get knownInput(): unknown {
    return this.request.params;
  }

  /** Returns a promise only if it has to wait. */
  readInput(): unknown {
    const checked = this.action.allowsOrigin && checkOrigin(this);
    return checked ? checked.then(() => this.#readInput()) : this.#readInput();
  }

  #readInput(): unknown {
    const body = this.route.readBody(this);
    return body instanceof Promise ? body.then((value) => this.#setInput(value)) : this.#setInput(undefined);
  }

  createContext(auditEntry: AuditEntry | undefined): Context {
    const { kernel, request, route, tenant, caller, membership, writtenFiles } = this;
    return new Context(kernel, {
      requestId: request.id,
      module: route.action.module,
      tenant,
      user: caller,
      membership,
      source: request,
      writtenFiles,
      auditEntry,
      ifMatch: request.headers['if-match'],
    });
  }

  #setInput(body: unknown): unknown {
    const { input, validate } = this.route.readInput(this.request, body);
    this.input = input;
    this.validate = validate;
    return input;
  }
}
