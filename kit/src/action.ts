import type { Answer } from './answer.ts';
import type { Ctx, SystemCtx } from './context.ts';
import type { Failure, Issues } from './errors.ts';
import type { Json } from './json.ts';
import type { Sent, Static, TObject, TSchema } from './schema.ts';
import type { SystemServices } from './system-services.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The allowed callers: users with the permission or one of several, all signed-in users (`signedIn`), everyone, or, for an
 * operation that `operation` declares, other modules only (`internal`) or other system modules only.
 */
type Access =
  | { readonly needs: string | readonly string[]; readonly public?: never; readonly internal?: never }
  | { readonly public: true; readonly needs?: never; readonly internal?: never }
  | { readonly internal: true | 'system'; readonly needs?: never; readonly public?: never };

/** For actions that need a signed-in user but no permission: `needs: signedIn`. */
export const signedIn = 'signed-in';

/** The user needs one of these permissions. Empty for public actions and those for all signed-in users. */
export function permissionsFor({ needs = [] }: { readonly needs?: string | readonly string[] | undefined }): string[] {
  return [needs].flat().filter((permission) => permission !== signedIn);
}

interface Declaration {
  /** Imperative, as in `Create an order`. */
  readonly summary: string;
  /** The rules that a caller must know. */
  readonly description?: string;
  /** The group in the API description. Default: the module's name. */
  readonly tag?: string;
  /**
   * `POST /orders/:id/cancel`, below `/api/v1`. Path parameters, query and body are one flat input: fields that are
   * not in the path come from the query of a GET or DELETE, else from the body. Absent: not served over HTTP.
   */
  readonly http?: `${Method} /${string}`;
  /** The path is not below `/api/v1`. */
  readonly root?: true;
  /** Overrides where the method's input comes from. */
  readonly inputFrom?: 'query' | 'body';
  /**
   * The format of the body. Default `json`. The text of a `csv` body is the field `csv`; a `form` may also be JSON. A
   * `multipart` body has a file: one field of the input is an `UploadedFile`. For a `signed` body, JSON or a form
   * that another system has signed, the unparsed text is the field `body` and the headers of the request are the field `headers`.
   */
  readonly accepts?: 'json' | 'csv' | 'form' | 'multipart' | 'signed';
  /**
   * Passes the input as it was sent, with unknown fields and without validation: for pages and for endpoints of other
   * standards. A body that is not an object becomes an empty one.
   */
  readonly unchecked?: true;
  /** The maximum size of the body in bytes. Default: the platform's. */
  readonly bodyLimit?: number;
  /**
   * A limit of its own, besides that of all requests: calls a minute from one network or of one user, in one tenant. Give one to
   * public actions that write or cost much; with `accepts: 'signed'` it is the only one. `false`: calls count against no limit.
   */
  readonly limit?: { readonly perMinute: number; readonly by: 'network' | 'user' } | false;
  /**
   * Which web pages may call it, by their `Origin`, instead of `CORS_ORIGINS`. Requests of other pages are refused, and those that
   * change something and have no origin.
   */
  allowsOrigin?(ctx: Ctx, origin: string): Promise<boolean>;
  /**
   * How long browsers and CDNs may keep the response of a public GET to a caller who is not signed in. `tags` are sent as
   * `Cache-Tag`, with the tenant's, so that a CDN can be told what to remove.
   */
  readonly cache?: { readonly seconds: number; readonly tags?: readonly string[] };
  /** A web page, not part of the API. */
  readonly webPage?: true;
  /** Whether the call must be bound to a tenant. Default `required`. */
  readonly tenant?: 'required' | 'optional' | 'none';
  /** The action changes nothing. Default: true for GET. */
  readonly readOnly?: boolean;
  /** Whether calls are recorded in the audit log. Default: true unless the action is read-only. */
  readonly audited?: boolean;
  /** It sends requests to other servers, so an idempotency key does not run it in a transaction, which holds a connection. */
  readonly sendsRequests?: true;
  /** The name of its typed GraphQL field, such as `createOrder`. `false`: it has no GraphQL field at all. */
  readonly graphql?: string | false;
  /** The codes of the failures it can throw, in addition to those of all actions. */
  readonly errors?: readonly string[];
  /**
   * It will be removed, at the earliest on the day `sunset`: responses have the headers `Deprecation` and `Sunset`. `instead` is a
   * sentence that says what to use.
   */
  readonly deprecated?: { readonly since: string; readonly sunset: string; readonly instead: string };
  /** An input as a person would write it, for the API description; a test sends it. Default: derived from the schema. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Request headers. For the API description only. */
  readonly headers?: TObject;
  /** Responses with another status, or failures with additional fields. For the API description only. */
  readonly responses?: Readonly<Record<number, OtherResponse>>;
  /** The media types of a file response. For the API description only. */
  readonly file?: readonly string[];
  /** What a browser gets instead of the JSON of a failure, such as a form to sign in. `undefined`: the JSON. */
  failurePage?(system: SystemServices, failure: Failure): Promise<Answer | undefined>;
  /** The response for a failure in the form of another protocol. `undefined`: the usual JSON. */
  failureAnswer?(failure: Failure, accept: string): Answer | undefined;
}

interface OtherResponse {
  readonly description: string;
  readonly body?: TObject;
  /** An alternative to the usual body of a failure. */
  readonly isAlternative?: true;
}

/** How REST wraps the output in a response. */
interface AnswerForm<Input, Output> {
  /** The field of the body that holds the output. Absent: the output is the body. */
  readonly key?: string;
  readonly message?: string | ((output: Output, input: Input) => string);
  /** Default 200. */
  readonly status?: number | ((output: Output) => number);
  readonly headers?: Readonly<Record<string, string>>;
}

interface BusForm {
  /** Calls a minute for each calling module in each tenant. */
  readonly rateLimit: number;
}

/** An action without the types of its input and output. */
export type Action = Declaration &
  Access & {
    readonly bus?: BusForm | undefined;
    readonly input?: TObject | undefined;
    readonly output?: TSchema | undefined;
    readonly answer?: AnswerForm<unknown, unknown> | undefined;
    readonly atomic?: boolean | undefined;
    guard?(ctx: Ctx): Promise<void>;
    check?(ctx: Ctx, input: Record<string, unknown>, issues: Issues): unknown;
    run(ctx: Ctx, input: unknown, checked?: unknown): Promise<unknown>;
    runBatch?(ctx: Ctx, inputs: readonly unknown[]): Promise<readonly unknown[]>;
    runFields?(ctx: Ctx, input: unknown, fields: ReadonlySet<string>): Promise<unknown>;
  };

export type Actions = Readonly<Record<string, Action>>;

type InputValue<Input> = Input extends TSchema ? Static<Input> : Record<string, never>;
type OutputValue<Output> = Output extends TSchema ? Static<Output> : unknown;

/** What `run` may return: the output, its JSON text, or a response of its own. */
type Returned<Output> = OutputValue<Output> | (Output extends TSchema ? Json<Static<Output>> : never) | Answer;

interface Behavior<Context, Input, Output, Checked> {
  readonly input?: Input;
  readonly output?: Output;
  /** Runs `check` and `run` in one transaction of the tenant: that of the calling module, or a new one. */
  readonly atomic?: boolean;
  /**
   * Checks the rules that the schema cannot express and adds problems to `issues`. Gets only the valid fields. If there are
   * no problems, `run` is called with the result.
   */
  check?(ctx: Context, input: Partial<InputValue<Input>>, issues: Issues): Checked | Promise<Checked>;
  run(ctx: Context, input: InputValue<Input>, checked: Exclude<Checked, undefined>): Promise<Returned<Output>>;
}

type Definition<Context, Input, Output, Bus, Checked> = Declaration &
  Exclude<Access, { readonly internal: true | 'system' }> &
  Behavior<Context, Input, Output, Checked> & {
    /** Absent: not on the bus. */
    readonly bus?: Bus;
    readonly answer?: AnswerForm<InputValue<Input>, OutputValue<Output>>;
    /** Rejects a call, by throwing, before its input is validated. */
    guard?(ctx: Context): Promise<void>;
    /** Runs several calls together, for data loaders: returns an output or a failure for each, in order. */
    runBatch?(ctx: Context, inputs: readonly InputValue<Input>[]): Promise<readonly (OutputValue<Output> | Failure)[]>;
    /** `run` for callers that need only these fields of a list's records. Other fields may be absent. */
    runFields?(ctx: Context, input: InputValue<Input>, fields: ReadonlySet<string>): Promise<unknown>;
  };

interface TypedAction<Input, Output, Bus> {
  readonly '~types'?: { readonly input: Input; readonly output: Output; readonly bus: Bus };
}

/** Declares an action. REST route, bus operation, API description, GraphQL field and client are derived from it. */
export function action<
  Input extends TObject | undefined = undefined,
  Output extends TSchema | undefined = undefined,
  Bus extends BusForm | undefined = undefined,
  Checked = void,
>(definition: Definition<Ctx, Input, Output, Bus, Checked>): Action & TypedAction<Input, Output, Bus> {
  return definition as unknown as Action;
}

/** An action of a system module. */
export function systemAction<
  Input extends TObject | undefined = undefined,
  Output extends TSchema | undefined = undefined,
  Bus extends BusForm | undefined = undefined,
  Checked = void,
>(definition: Definition<SystemCtx, Input, Output, Bus, Checked>): Action & TypedAction<Input, Output, Bus> {
  return definition as unknown as Action;
}

type InternalDefinition<Context, Input, Output> = Pick<Declaration, 'summary' | 'description'> &
  Omit<Behavior<Context, Input, Output, void>, 'check'> & {
    readonly input: Input;
    /** Only system modules may call it. */
    readonly system?: true;
  };

/**
 * Declares an operation for other modules only: it has no route, no GraphQL field, no permission and no rate limit, and the
 * calling module decides what its own callers may see and do. It runs in the transaction of the caller.
 */
export function operation<Input extends TObject, Output extends TSchema | undefined = undefined>(
  definition: InternalDefinition<Ctx, Input, Output>,
): Action & TypedAction<Input, Output, BusForm> {
  return internal(definition);
}

/** An operation of a system module for other modules. */
export function systemOperation<Input extends TObject, Output extends TSchema | undefined = undefined>(
  definition: InternalDefinition<SystemCtx, Input, Output>,
): Action & TypedAction<Input, Output, BusForm> {
  return internal(definition);
}

function internal({ system, ...definition }: { readonly system?: true | undefined }): Action {
  return { ...definition, internal: system ? 'system' : true } as unknown as Action;
}

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value;

/** The operations among actions, as `ctx.bus.call` takes them. */
export type OperationTypes<Table> = {
  [Name in keyof Table as Table[Name] extends TypedAction<infer _, infer __, infer Bus>
    ? Bus extends BusForm
      ? Name
      : never
    : never]: Table[Name] extends TypedAction<infer Input, infer Output, infer _>
    ? {
        input: Input extends TSchema ? DeepReadonly<Sent<Input>> : object;
        output: Output extends TSchema ? Static<Output> : unknown;
      }
    : never;
};
