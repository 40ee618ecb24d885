import { defineErrors } from '@chowk/kit';

export const errors = {
  'mcp.disabled': {
    status: 403,
    message: 'Agents have no access to this tenant. Enable the setting mcp.enabled first.',
  },
} as const;

export const fail = defineErrors(errors);
