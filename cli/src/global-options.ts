import type { Option } from './command.ts';

/** The options that every command takes. */
export const globalOptions = {
  json: { type: 'boolean', help: 'Print JSON.' },
  jq: { type: 'string', value: '<filter>', help: 'Print what a jq filter selects from the JSON.' },
  'api-url': { type: 'string', value: '<url>', help: 'The address of the platform.' },
  tenant: { type: 'string', value: '<tenant>', help: 'The id or a domain of the tenant.' },
  quiet: { type: 'boolean', short: 'q', help: 'Print no hints, messages or progress.' },
  'no-color': { type: 'boolean', help: 'Print no colors.' },
  help: { type: 'boolean', short: 'h', help: 'Show the help of the command.' },
} as const satisfies Readonly<Record<string, Option>>;
