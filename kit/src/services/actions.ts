import type { RequestContext } from '../request-context.ts';

/** An action that the caller may call. */
export interface CallableAction {
  readonly name: string;
  readonly summary: string;
  readonly description: string | undefined;
  /** The method of its REST route, such as `POST`. */
  readonly method: string;
  readonly isReadOnly: boolean;
  /** JSON Schema without references. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | undefined;
}

/** The REST endpoints that take and return JSON, for gateways that offer them over another protocol. Throws failures only. */
export interface ActionGateway {
  /** The actions that the caller may call in its tenant. */
  list(ctx: RequestContext): Promise<readonly CallableAction[]>;
  /**
   * Calls one of them with the same checks and audit entries as REST, and returns the JSON text of the same response.
   * Unknown fields are refused. Throws 404 if there is no action of this name.
   */
  call(ctx: RequestContext, name: string, input: unknown): Promise<string>;
}
