import { Answer, type SystemCtx } from '@chowk/kit';
import { callTool, listTools } from './tools.ts';

/** Handles one message with a server of its own: nothing is kept between requests. */
export async function handleMessage(ctx: SystemCtx, message: object): Promise<Answer> {
  const { Server, Transport, CallToolRequestSchema, ListToolsRequestSchema } = await loadSdk();
  const server = new Server(
    { name: 'chowk', title: 'Chowk', version: ctx.system.version },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await listTools(ctx) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => callTool(ctx, params));
  const transport = new Transport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const response = await transport.handleRequest(requestOf(ctx), { parsedBody: message });
    return new Answer(await response.text(), {
      status: response.status,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
  } finally {
    await server.close();
  }
}

/** With the headers that the transport checks. */
function requestOf({ client, system }: SystemCtx): Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const name of ['accept', 'mcp-protocol-version']) {
    const value = client.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request(`${system.url}/mcp`, { method: 'POST', headers });
}

/** Loaded with the first message, because it takes longer than the rest of the start. */
async function loadSdk() {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const { CallToolRequestSchema, ListToolsRequestSchema } = types;
  return { Server, Transport, CallToolRequestSchema, ListToolsRequestSchema };
}
