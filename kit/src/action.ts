import type { Answer } from './answer.ts';
import type { Ctx, SystemCtx } from './context.ts';
import type { Failure, Issues } from './errors.ts';
import type { Json } from './json.ts';
import type { Sent, Static, TObject, TSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: the holder of a permission or of one of several, anyone signed in (`signedIn`), or anyone at all. */
type Access =
  | { readonly needs: string | readonly string[]; readonly public?: never }
  | { readonly public: true; readonly needs?: never };

/** Needs nothing but a signed-in user: `needs: signedIn`. */
export const signedIn = 'signed-in';

/** The permissions of which a caller must hold one; none for an action that is public or for anyone signed in. */
export function permissionsFor({ needs = [] }: { readonly needs?: string | readonly string[] | undefined }): string[] {
  return [needs].flat().filter((permission) => permission !== signedIn);
}

interface Declaration {
  /** Imperative, as in `Create an order`. */
  readonly summary: string;
  /** The rules a caller must know besides. */
  readonly description?: string;
  /** The group in the API description. Default: the module's name. */
  readonly tag?: string;
  /**
   * `POST /orders/:id/cancel`, below `/api/v1`. Path parameters, query and body are one flat input: what is not in the
   * path comes from the query of a GET or DELETE and from the body of the others. Absent: not served over HTTP.
   */
  readonly http?: `${Method} /${string}`;
  /** The path is not below `/api/v1`. */
  readonly root?: true;
  /** Where the input comes from, if not from where the method says. */
  readonly inputFrom?: 'query' | 'body';
  /** What the body is. Default `json`. The text of a `csv` body is the input's field `csv`; a `form` may be JSON too. */
  readonly accepts?: 'json' | 'csv' | 'form';
  /**
   * Takes its input as it was sent, unknown fields included, and says itself what is wrong with it: a page, or an
   * endpoint of another standard. A body that is no object counts as an empty one.
   */
  readonly unchecked?: true;
  /** The largest body, in bytes. Default: the platform's. */
  readonly bodyLimit?: number;
  /** A page for people, not part of the API. */
  readonly page?: true;
  /** Whether the call must be bound to a tenant. Default `required`. */
  readonly tenant?: 'required' | 'optional' | 'none';
  /** Changes nothing. Default: whether the method is GET. */
  readonly readOnly?: boolean;
  /** Leaves a line in the audit log. Default: unless it is read-only. */
  readonly audited?: boolean;
  /** `false`: no GraphQL field is derived from it. */
  readonly graphql?: false;
  /** The codes of the failures it can throw, besides those every action has. */
  readonly errors?: readonly string[];
  /** Headers it reads. For the API description alone. */
  readonly headers?: TObject;
  /** Answers with another status, or failures with more in their body. For the API description alone. */
  readonly also?: Readonly<Record<number, { readonly description: string; readonly body?: TObject }>>;
  /** The media types of a file it answers with. For the API description alone. */
  readonly file?: readonly string[];
}

/** How REST answers with the output. */
interface AnswerForm<Input, Output> {
  /** The name of the output in the body. Absent: the output's fields are the body's. */
  readonly key?: string;
  readonly message?: string | ((output: Output, input: Input) => string);
  /** Default 200. */
  readonly status?: number | ((output: Output) => number);
  readonly headers?: Readonly<Record<string, string>>;
}

/** On the bus: so many calls a minute for each calling module in each tenant. */
interface BusForm {
  readonly rateLimit: number;
}

/** An action as the kernel sees it; `action()` makes one. */
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
    /** Refuses a call, by throwing, before its input is looked at. */
    admit?(ctx: Context): Promise<void>;
    /**
     * Called when an input was refused, with those of its fields that have passed so far: adds what else is wrong, so
     * that all of it is answered at once. What it checks `run` must check too.
     */
    explain?(ctx: Context, input: Partial<InputOf<Input>>, issues: Issues): Promise<void> | void;
    run(
      ctx: Context,
      input: InputOf<Input>,
    ): Promise<OutputOf<Output> | (Output extends TSchema ? Json<Static<Output>> : never) | Answer>;
    /** Many calls at once, for data loaders: in order, an output or a failure for each. */
    many?(ctx: Context, inputs: readonly InputOf<Input>[]): Promise<readonly (OutputOf<Output> | Failure)[]>;
  };

interface TypedAction<Input, Output, Bus> {
  readonly '~types'?: { readonly input: Input; readonly output: Output; readonly bus: Bus };
}

/** Declares an action once: REST route, bus operation, API description, GraphQL field and client follow from it. */
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

/** The actions that are on the bus, as `ctx.bus.call` takes them. */
export type OperationsOf<Table> = {
  [Name in keyof Table as Table[Name] extends TypedAction<infer _, infer __, infer Bus>
    ? Bus extends BusForm
      ? Name
      : never
    : never]: Table[Name] extends TypedAction<infer Input, infer Output, infer _>
    ? { input: Input extends TSchema ? Sent<Input> : object; output: OutputOf<Output> }
    : never;
};
