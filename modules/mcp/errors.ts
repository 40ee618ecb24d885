import { defineErrors } from '@chowk/kit';

export const errors = {
  'mcp.disabled': {
    status: 403,
    message: 'Agents have no access to this tenant. Enable the setting mcp.enabled first.',
  },
  'mcp.invalid_message': {
    status: 400,
    message: 'Send one JSON-RPC message, not a batch, and a supported MCP-Protocol-Version.',
  },
  'mcp.unknown_group': {
    status: 400,
    message: 'There is no group of tools {group}. Name some of {groups} in the header Tool-Groups, or all.',
  },
  'mcp.not_acceptable': {
    status: 406,
    message: 'The header Accept must list application/json and text/event-stream.',
  },
} as const;

export const fail = defineErrors(errors);
