import type { Command, Option } from '../command.ts';
import { type DerivedCommand, type DerivedField, optionName } from './derived-command.ts';

/** A derived command in the form of those written by hand. */
export function toCommand(derived: DerivedCommand): Command {
  const { words, summary, arguments: args = [], secrets = [] } = derived;
  const note = `Give ${secrets.join(', ')} with --input.`;
  const description = [derived.description, ...(secrets.length > 0 ? [note] : [])].filter(Boolean).join(' ');
  return {
    words,
    summary,
    ...(description && { description }),
    arguments: args.map(({ name, help, choices }) => ({ name: optionName(name), help, ...(choices && { choices }) })),
    options: { ...Object.fromEntries(fieldOptions(derived)), ...ownOptions(derived) },
    run: async (environment, input) => (await import('./run-action.ts')).runAction(environment, derived, input),
  };
}

function fieldOptions({ options = [] }: DerivedCommand): [string, Option][] {
  return options.map((field) => [
    optionName(field.name),
    {
      type: field.type === 'boolean' && !field.isList ? 'boolean' : 'string',
      help: field.isRequired ? `${field.help} Required.` : field.help,
      value: valueWord(field),
      ...(field.isList && { multiple: true }),
      ...(field.choices && { choices: field.choices }),
    },
  ]);
}

function valueWord({ type, name }: DerivedField): string {
  switch (type) {
    case 'integer':
    case 'number':
      return '<number>';
    case 'json':
      return '<json>';
    case 'record':
      return '<fields>';
    default:
      return /_(at|from|to)$|^(from|to)$/.test(name) ? '<time>' : '<text>';
  }
}

/** The options that depend on what the action takes and returns. */
function ownOptions({
  isPaged,
  format,
  isOpen,
  deletes,
  options = [],
  secrets = [],
}: DerivedCommand): Record<string, Option> {
  const takesBody = !isPaged && format === undefined && (options.length > 0 || secrets.length > 0 || isOpen);
  return {
    ...(deletes && { yes: { type: 'boolean', short: 'y', help: 'Do not ask first.' } }),
    ...(isOpen && {
      set: {
        type: 'string',
        multiple: true,
        value: '<key=value>',
        help: 'A field of the input; the value may be JSON.',
      },
    }),
    ...(isPaged && {
      limit: { type: 'string', value: '<number>', help: 'How many records to list. Default: 20.' },
      all: { type: 'boolean', help: 'List every record.' },
    }),
    ...(format === 'file' && {
      output: {
        type: 'string',
        value: '<file>',
        help: 'Where to write it; - is the standard output. Default on a terminal: a file with the name that the platform gives.',
      },
    }),
    ...(takesBody && {
      input: {
        type: 'string',
        value: '<file>',
        help: 'Read the input as JSON from a file, or from - the standard input.',
      },
    }),
  };
}
