import type { HttpRequest, HttpResponse } from '@chowk/kit/kernel';
import { OutboundClient } from '../outbound/outbound-client.ts';
import type { PackageId } from './package-name.ts';
import type { Registry } from './registry.ts';

export interface HttpRegistryOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly timeoutMs?: number;
}

/** The generic package registry of a GitLab project. The operator has configured its host, so that it may be private. */
export function httpRegistry({ url, token, allowedHosts, timeoutMs = 120_000 }: HttpRegistryOptions): Registry {
  const place = url.replace(/\/$/, '');
  const { hostname, port, protocol } = new URL(place);
  const host = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const client = new OutboundClient({ allowedHosts: [...allowedHosts, host] });
  const headers = token === undefined ? {} : { 'private-token': token };
  const send = async ({ alias, version }: PackageId, file: string, request: HttpRequest) => {
    const address = `${place}/${alias}/${version}/${file}`;
    const response = await client.request(address, {
      ...request,
      headers: { ...headers, ...request.headers },
      timeoutMs,
    });
    return { address, response };
  };
  return {
    place,
    async read(id, file, maxBytes) {
      const { address, response } = await send(id, file, { maxBytes });
      if (response.status === 404) return undefined;
      if (response.status !== 200) throw problem(address, response);
      return response.body;
    },
    async write(id, file, content) {
      const { address, response } = await send(id, file, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: content,
        // The upload has no other address.
        maxRedirects: 0,
      });
      if (![200, 201].includes(response.status)) throw problem(address, response);
    },
  };
}

function problem(address: string, { status }: HttpResponse): Error {
  const isRefused = status === 401 || status === 403;
  const remedy = isRefused ? '; check MODULE_REGISTRY_TOKEN' : '; check MODULE_REGISTRY_URL or try again later';
  return new Error(`the module registry answered ${status} for ${address}${remedy}`);
}
