import type { Answer } from './answer.ts';
import type { Ctx, SystemCtx } from './context.ts';
import type { Failure, Issues } from './errors.ts';
import type { Json } from './json.ts';
import type { Sent, Static, TObject, TSchema } from './schema.ts';
import type { SystemServices } from './system-services.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The allowed callers: users with the permission or one of several, all signed-in users (`signedIn`), or everyone. */
type Access =
  | { readonly needs: string | readonly string[]; readonly public?: never }
  | { readonly public: true; readonly needs?: never };

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
   * `multipart` body has a file: one field of the input is an `UploadedFile`.
   */
  readonly accepts?: 'json' | 'csv' | 'form' | 'multipart';
  /**
   * Passes the input as it was sent, with unknown fields and without validation: for pages and for endpoints of other
   * standards. A body that is not an object becomes an empty one.
   */
  readonly unchecked?: true;
  /** The maximum size of the body in bytes. Default: the platform's. */
  readonly bodyLimit?: number;
  /** A web page, not part of the API. */
  readonly page?: true;
  /** Whether the call must be bound to a tenant. Default `required`. */
  readonly tenant?: 'required' | 'optional' | 'none';
  /** The action changes nothing. Default: true for GET. */
  readonly readOnly?: boolean;
  /** Whether calls are recorded in the audit log. Default: true unless the action is read-only. */
  readonly audited?: boolean;
  /** The name of its typed GraphQL field, such as `createOrder`. `false`: it has no GraphQL field at all. */
  readonly graphql?: string | false;
  /** The codes of the failures it can throw, in addition to those of all actions. */
  readonly errors?: readonly string[];
  /** Request headers. For the API description only. */
  readonly headers?: TObject;
  /** Responses with another status, or failures with additional fields. For the API description only. */
  readonly also?: Readonly<Record<number, AlsoResponse>>;
  /** The media types of a file response. For the API description only. */
  readonly file?: readonly string[];
  /** What a browser gets instead of the JSON of a failure, such as a form to sign in. `undefined`: the JSON. */
  failurePage?(system: SystemServices, failure: Failure): Promise<Answer | undefined>;
}

interface AlsoResponse {
  readonly description: string;
  readonly body?: TObject;
  /** The body of a failure may be this one instead of an error's. */
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
    admit?(ctx: Ctx): Promise<void>;
    explain?(ctx: Ctx, input: Record<string, unknown>, issues: Issues): Promise<void> | void;
    run(ctx: Ctx, input: unknown): Promise<unknown>;
    many?(ctx: Ctx, inputs: readonly unknown[]): Promise<readonly unknown[]>;
    select?(ctx: Ctx, input: unknown, fields: ReadonlySet<string>): Promise<unknown>;
  };

export type Actions = Readonly<Record<string, Action>>;

type InputOf<Input> = Input extends TSchema ? Static<Input> : Record<string, never>;
type OutputOf<Output> = Output extends TSchema ? Static<Output> : unknown;

type Definition<Context, Input, Output, Bus> = Declaration &
  Access & {
    /** Absent: not on the bus. */
    readonly bus?: Bus;
    readonly input?: Input;
    readonly output?: Output;
    readonly answer?: AnswerForm<InputOf<Input>, OutputOf<Output>>;
    /** Rejects a call, by throwing, before its input is validated. */
    admit?(ctx: Context): Promise<void>;
    /**
     * Called with the valid fields of an invalid input: adds further problems, so that one response reports all of them.
     * `run` must check the same rules.
     */
    explain?(ctx: Context, input: Partial<InputOf<Input>>, issues: Issues): Promise<void> | void;
    run(
      ctx: Context,
      input: InputOf<Input>,
    ): Promise<OutputOf<Output> | (Output extends TSchema ? Json<Static<Output>> : never) | Answer>;
    /** Runs many calls at once, for data loaders: returns an output or a failure for each, in order. */
    many?(ctx: Context, inputs: readonly InputOf<Input>[]): Promise<readonly (OutputOf<Output> | Failure)[]>;
    /** `run` of a list whose caller needs these fields of the records only. Other fields may be absent. */
    select?(ctx: Context, input: InputOf<Input>, fields: ReadonlySet<string>): Promise<unknown>;
  };

interface TypedAction<Input, Output, Bus> {
  readonly '~types'?: { readonly input: Input; readonly output: Output; readonly bus: Bus };
}

/** Declares an action. REST route, bus operation, API description, GraphQL field and client are derived from it. */
export function action<
  Input extends TObject | undefined = undefined,
  Output extends TSchema | undefined = undefined,
  Bus extends BusForm | undefined = undefined,
>(definition: Definition<Ctx, Input, Output, Bus>): Action & TypedAction<Input, Output, Bus> {
  return definition as unknown as Action;
}

/** An action of a system module. */
export function systemAction<
  Input extends TObject | undefined = undefined,
  Output extends TSchema | undefined = undefined,
  Bus extends BusForm | undefined = undefined,
>(definition: Definition<SystemCtx, Input, Output, Bus>): Action & TypedAction<Input, Output, Bus> {
  return definition as unknown as Action;
}

/** The bus operations among actions, as `ctx.bus.call` takes them. */
export type OperationsOf<Table> = {
  [Name in keyof Table as Table[Name] extends TypedAction<infer _, infer __, infer Bus>
    ? Bus extends BusForm
      ? Name
      : never
    : never]: Table[Name] extends TypedAction<infer Input, infer Output, infer _>
    ? { input: Input extends TSchema ? Sent<Input> : object; output: OutputOf<Output> }
    : never;
};
