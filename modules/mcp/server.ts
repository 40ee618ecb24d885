import { Answer, type SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';
import { callTool, listTools } from './tools.ts';

const jsonType = 'application/json; charset=utf-8';

/** For answers of the user that a server asks for, which this one does not. The default one doubles the time of a message. */
const unused = {
  getValidator(): never {
    throw new Error('the server asks the client for nothing');
  },
};

/** Handles one message with a server of its own: nothing is kept between requests. */
export async function handleMessage(ctx: SystemCtx, message: object): Promise<Answer> {
  const { Server, Transport, CallToolRequestSchema, ListToolsRequestSchema } = await loadSdk();
  const server = new Server(
    { name: 'chowk', title: 'Chowk', version: ctx.system.version },
    { capabilities: { tools: {} }, jsonSchemaValidator: unused },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await listTools(ctx) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => callTool(ctx, params));
  const transport = new Transport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    return await answerOf(await transport.handleRequest(requestOf(ctx), { parsedBody: message }));
  } finally {
    await server.close();
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const body = await response.text();
  if (response.ok) return new Answer(body, { status: response.status, headers: { 'content-type': jsonType } });
  throw fail(response.status === 406 ? 'mcp.not_acceptable' : 'mcp.invalid_message', {}, { body: JSON.parse(body) });
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

/** Loaded with the first message, to keep the start fast. */
async function loadSdk() {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const { CallToolRequestSchema, ListToolsRequestSchema } = types;
  return { Server, Transport, CallToolRequestSchema, ListToolsRequestSchema };
}
