import { Failure, failureBody, type SystemCtx } from '@chowk/kit';
import type { CallToolRequest, CallToolResult, Tool } from '@modelcontextprotocol/server';
import { type CallableAction, selectGroups } from './groups.ts';

/**
 * A tool for each action that the caller may call, of the groups that the client has chosen. Schemas of results are listed only for
 * chosen groups, because they are longer than all else.
 */
export async function listTools(ctx: SystemCtx): Promise<Tool[]> {
  const header = ctx.client.header('tool-groups');
  const actions = selectGroups(await ctx.system.actions.list(ctx), header);
  return header === undefined ? actions.map((action) => toTool({ ...action, output: undefined })) : actions.map(toTool);
}

/** The result is the body of the REST response. A failure is a result too, so that the agent sees it. */
export async function callTool(
  ctx: SystemCtx,
  { name, arguments: input = {} }: CallToolRequest['params'],
): Promise<CallToolResult> {
  try {
    const text = await ctx.system.actions.call(ctx, actionName(name), input);
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { content: [{ type: 'text', text: JSON.stringify(failureBody(error)) }], isError: true };
  }
}

/** Tool names have no dots, and what precedes the dot in an action's name has no underscore. */
export function toolName(action: string): string {
  return action.replace('.', '_');
}

function actionName(tool: string): string {
  return tool.replace('_', '.');
}

function toTool({ name, summary, description, method, isReadOnly, input, output }: CallableAction): Tool {
  return {
    name: toolName(name),
    title: summary,
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    inputSchema: input as Tool['inputSchema'],
    ...(output ? { outputSchema: output as Tool['outputSchema'] } : {}),
    annotations: {
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly && (method === 'DELETE' || destructive.test(name)),
      idempotentHint: isReadOnly || method === 'PUT' || method === 'DELETE',
      openWorldHint: false,
    },
  };
}

/** Actions whose effect cannot be undone, beside those with the method DELETE. */
const destructive = /\.(delete|remove|merge|refund|cancel)/;
