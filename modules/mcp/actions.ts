import { signedIn, systemAction, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import { Message, Refusal, Reply } from './schemas.ts';
import { handleMessage } from './server.ts';

export const actions = {
  'mcp.handle': systemAction({
    summary: 'Handle a message of the Model Context Protocol',
    description:
      'Streamable HTTP without sessions and streams: one JSON-RPC message in, one JSON response out. Each tool is an ' +
      'action and needs its permission. `Accept` must list `application/json` and `text/event-stream`. Disabled unless ' +
      'the setting `mcp.enabled` is on.',
    tag: 'MCP',
    http: 'POST /mcp',
    root: true,
    needs: signedIn,
    unchecked: true,
    // The called action is audited, and its changes are waited for.
    readOnly: true,
    graphql: false,
    input: Message,
    output: Reply,
    errors: ['mcp.disabled', 'mcp.invalid_message', 'mcp.not_acceptable', 'mcp.unknown_group'],
    headers: Type.Object({
      'Tool-Groups': Type.Optional(
        Type.String({
          description:
            'Which tools `tools/list` returns: groups separated by commas, such as `orders,invoices`, or `all`. Default: the most used.',
          examples: ['orders,invoices'],
        }),
      ),
    }),
    responses: {
      202: { description: 'A notification was accepted.' },
      406: { description: 'The error is also one of JSON-RPC.', body: Refusal },
    },
    async guard(ctx) {
      const { 'mcp.enabled': isEnabled } = await ctx.settings();
      if (!isEnabled) throw fail('mcp.disabled');
    },
    run: handleMessage,
  }),
};
