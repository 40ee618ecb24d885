export interface HttpRequest {
  /** Default `GET`. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** After a redirect to another host, only headers without credentials are sent, such as `accept`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Adds a signature, with which the recipient verifies the sender. */
  readonly signature?: RequestSignature;
  /** The maximum time until the whole response is read, redirects included. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** The maximum size of the response. Default 1 MB. */
  readonly maxBytes?: number;
  /** Cuts a larger response off instead of failing. */
  readonly truncate?: boolean;
  /** Default and maximum 5. With 0, a redirect is returned like any other response. */
  readonly maxRedirects?: number;
}

/** A signature as in https://www.standardwebhooks.com. */
export interface RequestSignature {
  readonly id: string;
  readonly at: Date;
  /** Secrets of `newSigningSecret`; each adds a signature, so that a secret can be replaced without a gap. */
  readonly secrets: readonly string[];
}

export interface HttpResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A response whose body is read as it arrives, within the same limits. */
export interface HttpDownload extends Omit<HttpResponse, 'body'> {
  readonly body: AsyncIterable<Buffer>;
}

/**
 * Sends requests over `https` to public addresses, unless the operator allows the host (`OUTBOUND_ALLOW_HOSTS`). Throws
 * failures `outbound.*`, but not for an error status. Do not use it inside `ctx.tx`, which holds a connection.
 */
export interface HttpClient {
  request(url: string, request?: HttpRequest): Promise<HttpResponse>;
  /** The body must be read to its end or left with `break`. */
  download(url: string, request?: HttpRequest): Promise<HttpDownload>;
  /** Throws if the URL would be refused whatever its addresses are. For URLs that are stored. */
  check(url: string): void;
  /**
   * Looks up a server of another protocol under the same rules. Connect to `address` and not to the name, which may get another
   * address. `isAllowed`: the operator allows the host, also without TLS.
   */
  locate(server: { readonly host: string; readonly port: number }): Promise<{
    readonly address: string;
    readonly isAllowed: boolean;
  }>;
  newSigningSecret(): string;
}
