import { Answer, type SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';
import { writeInstructions } from './groups.ts';
import { callTool, listTools } from './tools.ts';

const jsonType = 'application/json; charset=utf-8';

/** A validator of elicitation results, which this server never requests. The default one doubles the time of a message. */
const unused = {
  getValidator(): never {
    throw new Error('the server asks the client for nothing');
  },
};

/** Handles one message with a server of its own: nothing is kept between requests. The SDK is loaded with the first one. */
export async function handleMessage(ctx: SystemCtx, message: object): Promise<Answer> {
  const { Server, WebStandardStreamableHTTPServerTransport: Transport } = await import('@modelcontextprotocol/server');
  const server = new Server(
    { name: 'chowk', title: 'Chowk', version: ctx.system.version },
    { capabilities: { tools: {} }, instructions: writeInstructions(), jsonSchemaValidator: unused },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: await listTools(ctx) }));
  server.setRequestHandler('tools/call', ({ params }) => callTool(ctx, params));
  const transport = new Transport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    return await toAnswer(await transport.handleRequest(toRequest(ctx), { parsedBody: message }));
  } finally {
    await server.close();
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const body = await response.text();
  if (response.ok) return new Answer(body, { status: response.status, headers: { 'content-type': jsonType } });
  throw fail(response.status === 406 ? 'mcp.not_acceptable' : 'mcp.invalid_message', {}, { body: JSON.parse(body) });
}

/** With the headers that the transport checks. */
function toRequest({ client, system }: SystemCtx): Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const name of ['accept', 'mcp-protocol-version']) {
    const value = client.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request(`${system.url}/mcp`, { method: 'POST', headers });
}
