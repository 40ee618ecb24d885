import type { Ctx, SystemCtx } from './context.ts';
import type { Static, TObject, TSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: the holder of a permission, anyone signed in, or anyone at all. A route must say which. */
type Access = { readonly needs: string; readonly public?: never } | { readonly public: true; readonly needs?: never };

interface RouteCommon {
  readonly method: Method;
  /** Below `/api/v1`, unless `root` is set: `/customers/:id`. */
  readonly path: string;
  readonly root?: true;
  /** A page for people: not part of the API and its description. */
  readonly page?: true;
  readonly summary: string;
  readonly tag: string;
  /** Whether the call must be bound to a tenant. Default `required`. */
  readonly tenant?: 'required' | 'optional' | 'none';
  /** What the body is. Default `json`; `csv` reaches `run` as text; where a `form` is taken, so is JSON. */
  readonly accepts?: 'json' | 'csv' | 'form';
  /** The status of success. Default 200. */
  readonly status?: number;
  /** Answers that a caller must tell from the usual ones, by status. For the API description alone. */
  readonly also?: Readonly<Record<number, OtherAnswer>>;
  /** Headers that the route looks at. For the API description alone. */
  readonly headers?: TObject;
  /** The largest body taken, in bytes. Default: the platform's. */
  readonly bodyLimit?: number;
}

interface OtherAnswer {
  readonly description: string;
  /** What the body has besides what every failure has; of a success, all of it. */
  readonly body?: TObject;
}

type Input<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export interface RouteInput {
  params: unknown;
  query: unknown;
  body: unknown;
  headers: Headers;
}

/** By name, in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A route as the kernel sees it; `route()` makes one. */
export type Route = RouteCommon &
  Access & {
    readonly params?: TObject | undefined;
    readonly query?: TObject | undefined;
    readonly body?: TSchema | undefined;
    readonly answer?: TSchema | undefined;
    admit?(ctx: Ctx, input: { headers: Headers }): Promise<void>;
    run(ctx: Ctx, input: RouteInput): Promise<unknown>;
  };

/** An answer with a status or headers of its own, or one that is JSON text already. */
export class Answer {
  readonly body: unknown;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: unknown, { status, headers = {} }: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** Needs nothing but a signed-in user: `needs: signedIn`. */
export const signedIn = 'signed-in';

type Definition<Context, Params, Query, Body, Result> = RouteCommon &
  Access & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly answer?: Result;
    /** Refuses a call, by throwing, before its input is looked at: where what is wrong with it would not matter. */
    admit?(ctx: Context, input: { headers: Headers }): Promise<void>;
    run(
      ctx: Context,
      input: { params: Input<Params>; query: Input<Query>; body: Input<Body>; headers: Headers },
    ): Promise<(Result extends TSchema ? Static<Result> : unknown) | Answer>;
  };

/** Types the input of `run` from the schemas beside it. */
export function route<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Result extends TSchema | undefined = undefined,
>(definition: Definition<Ctx, Params, Query, Body, Result>): Route {
  return definition as unknown as Route;
}

/** A route of a system module. */
export function systemRoute<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Result extends TSchema | undefined = undefined,
>(definition: Definition<SystemCtx, Params, Query, Body, Result>): Route {
  return definition as unknown as Route;
}
