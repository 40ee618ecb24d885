import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../server/src/free-port.ts';
import { startAccounts } from '../../server/testing/accounts.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const platform = await startAccounts({ environment: { APP_URL: url } });
await platform.app.listen({ host: '127.0.0.1', port });
const acme = await platform.tenant();
const owner = await platform.person({ tenant: acme });
await owner.patch('/api/v1/settings', { 'mcp.enabled': true });
const address = `http://${acme.id}.localhost:${port}`;

const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** Keeps what the SDK stores, and the address that it would open in a browser. */
class Notebook implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:3334/oauth/callback';
  readonly clientMetadata = { client_name: 'Notebook', redirect_uris: [this.redirectUrl] };
  readonly #stored = new Map<string, unknown>();
  opened: URL | undefined;

  clientInformation() {
    return this.#stored.get('client') as never;
  }
  saveClientInformation(client: unknown) {
    this.#stored.set('client', client);
  }
  tokens() {
    return this.#stored.get('tokens') as never;
  }
  saveTokens(tokens: unknown) {
    this.#stored.set('tokens', tokens);
  }
  saveCodeVerifier(verifier: string) {
    this.#stored.set('verifier', verifier);
  }
  codeVerifier() {
    return this.#stored.get('verifier') as string;
  }
  state() {
    return 'notebook-state';
  }
  redirectToAuthorization(address: URL) {
    this.opened = address;
  }
}

/** Not every machine resolves `acme.localhost`, and `fetch` sends no other `Host`. */
async function fetchLocally(target: string | URL, { method, headers, body }: RequestInit = {}): Promise<Response> {
  const { host, pathname, search } = new URL(target);
  const sent = { ...Object.fromEntries(new Headers(headers)), host };
  const exchange = request({ host: '127.0.0.1', port, path: pathname + search, method, headers: sent });
  exchange.end(body == null ? undefined : String(body));
  const [response] = (await once(exchange, 'response')) as [IncomingMessage];
  const content = await text(response);
  return new Response(content === '' ? null : content, {
    status: response.statusCode ?? 0,
    headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  });
}

/** Knows nothing but the address of the tenant's MCP server. */
function transport(authProvider: OAuthClientProvider) {
  return new StreamableHTTPClientTransport(new URL('/mcp', address), { authProvider, fetch: fetchLocally });
}

function newClient(): Client {
  const client = new Client({ name: 'notebook', version: '1.0.0' });
  clients.push(client);
  return client;
}

test('the client of the SDK finds the way from the address of the MCP server alone, registers itself and calls tools', async () => {
  const notebook = new Notebook();
  const first = transport(notebook);
  await expect(newClient().connect(first as never)).rejects.toThrow(/unauthorized/i);
  const opened = notebook.opened as URL;
  expect(`${opened.origin}${opened.pathname}`).toBe(`${url}/oauth/authorize`);
  expect(opened.searchParams.get('resource')).toBe(`${address}/mcp`);

  const page = await fetch(opened, { redirect: 'manual', headers: { accept: 'text/html' } });
  const asked = Object.fromEntries(new URL(page.headers.get('location') as string, url).searchParams);
  const preview = await owner.post('/api/v1/app-requests/preview', asked);
  expect(preview.body.request.app).toEqual({ id: expect.any(String), name: 'Notebook', publisher: null });
  const scopes = { approved_scopes: ['customers.view', 'customers.create'] };
  const { body } = await owner.post('/api/v1/app-requests/approve', { ...asked, ...scopes });
  await first.finishAuth(new URL(body.redirect_to).searchParams);

  const client = newClient();
  await client.connect(transport(notebook) as never);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('customers_create');
  expect(tools.map(({ name }) => name)).not.toContain('orders_list');
  const created = await client.callTool({ name: 'customers_create', arguments: { first_name: 'Meera' } });
  expect(created.isError ?? false).toBe(false);

  const { body: grants } = await owner.get('/api/v1/profile/apps');
  await owner.delete(`/api/v1/profile/apps/${grants.apps[0].id}`);
  await expect(client.listTools()).rejects.toThrow();
});
