import { ExitError, exitCodes } from '../exit.ts';

export interface Limits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** The longest time without a byte. */
  readonly idleMs: number;
}

export interface HttpRequest {
  readonly url: string;
  /** Sent to the origin of the address only, not to where it redirects. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly limits: Limits;
  readonly onData?: ((bytes: number) => void) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
}

const maxRedirects = 5;
const redirects = [301, 302, 303, 307, 308];

/** Gets an address, within limits. */
export async function get(fetcher: typeof fetch, request: HttpRequest): Promise<HttpResponse> {
  const { timeoutMs, idleMs } = request.limits;
  const controller = new AbortController();
  const stop = (reason: string) => () => controller.abort(new Error(reason));
  const timer = setTimeout(stop(`no complete response within ${timeoutMs / 1000} s`), timeoutMs);
  let idle = setTimeout(stop(`no data for ${idleMs / 1000} s`), idleMs);
  const restart = () => {
    clearTimeout(idle);
    idle = setTimeout(stop(`no data for ${idleMs / 1000} s`), idleMs);
  };
  try {
    const response = await follow(fetcher, request, controller.signal);
    return { status: response.status, body: await readBody(response, request, restart) };
  } catch (error) {
    if (error instanceof ExitError) throw error;
    const cause = (controller.signal.reason ?? (error as Error).cause ?? error) as NodeJS.ErrnoException;
    const problem = `${new URL(request.url).host} cannot be reached: ${cause.message || cause.code}`;
    throw new ExitError(exitCodes.network, `${problem.replace(/\.$/, '')}. Try again later.`, { cause: error });
  } finally {
    clearTimeout(timer);
    clearTimeout(idle);
    controller.abort();
  }
}

async function follow(fetcher: typeof fetch, request: HttpRequest, signal: AbortSignal): Promise<Response> {
  const start = new URL(request.url);
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const headers = {
      // Compressed a second time, a file would have another digest.
      'accept-encoding': 'identity',
      ...(url.origin === start.origin ? request.headers : {}),
    };
    const response = await fetcher(url, { headers, redirect: 'manual', signal });
    if (!redirects.includes(response.status)) return response;
    await response.body?.cancel();
    url = resolveUrl(response.headers.get('location') ?? '', url);
  }
  throw new ExitError(exitCodes.server, `${start.host} redirects too often. Tell the operator of the platform.`);
}

/** An address that a server gives. It never leads from https to http, nor to files of this computer. */
export function resolveUrl(address: string, base: URL): URL {
  const url = URL.parse(address, base.href);
  const isAllowed = url && (url.protocol === 'https:' || (url.protocol === 'http:' && base.protocol === 'http:'));
  if (isAllowed) return url;
  throw new ExitError(
    exitCodes.server,
    `${base.host} leads to an address that is not safe. Tell the operator of the platform.`,
  );
}

async function readBody(response: Response, request: HttpRequest, restart: () => void): Promise<Buffer> {
  const { limits, onData, url } = request;
  const tooLarge = () =>
    new ExitError(
      exitCodes.server,
      `The response of ${new URL(url).host} is larger than expected. Nothing was changed.`,
    );
  if (Number(response.headers.get('content-length')) > limits.maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of response.body ?? []) {
    restart();
    received += chunk.length;
    if (received > limits.maxBytes) throw tooLarge();
    chunks.push(chunk);
    onData?.(chunk.length);
  }
  return Buffer.concat(chunks);
}
