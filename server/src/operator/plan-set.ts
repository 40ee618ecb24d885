import { type LimitName, savePlan } from '../tenancy/plans.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';

const optionNames: Readonly<Record<LimitName, string>> = {
  requests_per_minute: 'requests-per-minute',
  storage_mb: 'storage-mb',
  messages_per_day: 'messages-per-day',
  connections: 'connections',
};

export const planSetCommand: Command = {
  name: 'plan:set',
  usage:
    '<name> [--requests-per-minute=<number or none>] [--storage-mb=<number or none>] ' +
    '[--messages-per-day=<number or none>] [--connections=<number or none>] [--default] [--json]',
  summary: 'create a plan or change its limits, from the next request on; limits that are not given stay as they are',
  options: {
    ...Object.fromEntries(Object.values(optionNames).map((name) => [name, { type: 'string' as const }])),
    default: { type: 'boolean' },
  },
  positionals: { min: 1, max: 1 },
  async run({ kernel, say, table }, { positionals: [name = ''], options }) {
    if (!/^[a-z][a-z0-9-]{0,62}$/.test(name)) {
      throw new UsageError(
        'the name of a plan begins with a letter and has only lower-case letters, digits and hyphens',
      );
    }
    const limits = readLimits(options);
    const { central } = await kernel();
    const isNew = await savePlan(central.db, name, { ...limits, ...(options.default ? { is_default: true } : {}) });
    if (options.json) return table([{ name, created: isNew, ...limits }], '');
    say(`${isNew ? 'Created' : 'Changed'} the plan ${name}. Assign it with 'chowkd plan:assign <tenant> ${name}'.`);
  },
};

function readLimits(options: CommandInput['options']): Partial<Record<LimitName, number | null>> {
  return Object.fromEntries(
    Object.entries(optionNames).flatMap(([limit, option]) => {
      const text = options[option];
      if (typeof text !== 'string') return [];
      const value = text === 'none' ? null : Number(text);
      if (value !== null && !(Number.isInteger(value) && value >= 1 && value <= 2_000_000_000)) {
        throw new UsageError(`--${option} must be an integer from 1, or none for no limit`);
      }
      return [[limit, value]];
    }),
  );
}
