import type { HttpClient } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';

/** The HTTP client of a sandbox: addresses are checked, and nothing is sent. */
export function closedClient(client: HttpClient): HttpClient {
  const refuse = async () => {
    throw fail('outbound.sandbox');
  };
  return {
    request: refuse,
    download: refuse,
    locate: refuse,
    check: (url) => client.check(url),
    newSigningSecret: () => client.newSigningSecret(),
  };
}
