/** Configuration that system modules read. */
export interface SystemOptions {
  readonly installToken: string | undefined;
  /** Other machines may reach the server. */
  readonly isExposed: boolean;
  readonly signup: boolean;
  readonly graphqlIntrospection: boolean;
  readonly graphqlPlayground: boolean;
  readonly signedLinksOnly: boolean;
  readonly loginFailuresPerMinute: number;
  readonly resendsPerMinute: number;
  readonly applicationsPerMinute: number;
  readonly bcryptCost: number;
  /** Where releases of the command-line client come from, for tenants without a channel of their own. */
  readonly releases: {
    readonly adapter: 'gitlab' | 'static';
    readonly gitlabProject: string | undefined;
    readonly gitlabApiUrl: string;
    readonly gitlabToken: string | undefined;
    readonly manifestUrl: string | undefined;
  };
}
