/** The context of the request: `ctx`. */
export interface RequestContext {
  readonly requestId: string;
}
