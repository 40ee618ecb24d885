import type { Command, CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { openClient } from '../open-client.ts';
import { plainText } from '../output/plain-text.ts';
import { printJson } from '../output/print.ts';
import { parseJson, readInput, readJsonObject } from '../read-input.ts';

export const graphqlCommand: Command = {
  words: ['graphql'],
  summary: 'Run a GraphQL operation',
  description: 'The operation is in a file, in --query, in the standard input, or registered under a hash.',
  arguments: [{ name: 'file', help: 'A file with the operation; - is the standard input.', optional: true }],
  options: {
    query: { type: 'string', value: '<operation>', help: 'The operation.' },
    variables: { type: 'string', value: '<json|file>', help: 'The variables as a JSON object, or a file with one.' },
    operation: { type: 'string', value: '<name>', help: 'The operation to run, if there are several.' },
    persisted: { type: 'string', value: '<hash>', help: 'The hash of a persisted query.' },
  },
  examples: [
    "chowk graphql --query='{ customers(first: 5) { id email } }'",
    'chowk graphql orders.graphql --variables=\'{"status": "pending"}\' --jq=.data',
  ],
  async run(environment, { arguments: [file], options }) {
    const { persisted, operation } = options;
    const query = persisted === undefined ? await readQuery(environment, file, options) : undefined;
    const variables = await readVariables(environment, options.variables);
    const { client } = await openClient(environment, options);
    const { errors, ...body } = await client.graphql.execute({
      ...(query !== undefined && { query }),
      ...(variables && { variables }),
      ...(typeof operation === 'string' && { operationName: operation }),
      ...(typeof persisted === 'string' && { extensions: { persistedQuery: { version: 1, sha256Hash: persisted } } }),
    });
    await printJson(environment, options, errors ? { ...body, errors } : body);
    if (!errors) return;
    const messages = (errors as readonly { message: string }[]).map(({ message }) => plainText(message));
    throw new ExitError(exitCodes.refused, messages.join('\n'));
  },
};

async function readQuery(
  environment: Environment,
  file: string | undefined,
  { query }: CommandInput['options'],
): Promise<string> {
  if (typeof query === 'string') return query;
  if (file === undefined && environment.stdin.isTerminal)
    throw new ExitError(exitCodes.usage, "There is no operation. Give a file or --query; see 'chowk graphql --help'.");
  return (await readInput(environment, file ?? '-')).toString('utf8');
}

async function readVariables(environment: Environment, given: CommandInput['options'][string]) {
  if (typeof given !== 'string') return undefined;
  if (!given.trimStart().startsWith('{')) return readJsonObject(environment, given);
  return parseJson(given, '--variables is not valid JSON') as Record<string, unknown>;
}
