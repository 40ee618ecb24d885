import type { Command, CommandInput } from '../command.ts';
import { readPairs } from '../derived/build-input.ts';
import { saveDownload } from '../derived/transfer.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { openClient } from '../open-client.ts';
import { printJson } from '../output/print.ts';
import { parseJson, readJsonObject } from '../read-input.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const apiCommand: Command = {
  words: ['api'],
  summary: 'Send a request to the API',
  description:
    'For what no command does. Fields are the query of GET and DELETE and else a JSON body. The response is printed as JSON; a file is printed as it is.',
  arguments: [
    { name: 'method', help: `${methods.join(', ')}.` },
    { name: 'path', help: 'The path, below /api/v1 unless it begins with a slash.' },
  ],
  options: {
    field: {
      type: 'string',
      multiple: true,
      value: '<key=value>',
      help: 'A field; a value that is JSON keeps its type.',
    },
    input: {
      type: 'string',
      value: '<file>',
      help: 'Read the fields as JSON from a file, or from - the standard input.',
    },
    header: { type: 'string', multiple: true, value: '<name: value>', help: 'A header of the request.' },
    output: { type: 'string', value: '<file>', help: 'Write the response to a file.' },
  },
  examples: [
    'chowk api GET customers --field=limit=5 --jq=.customers[].email',
    'chowk api POST /api/v1/orders --input=order.json',
  ],
  async run(environment, { arguments: [method = '', path = ''], options }) {
    const route = `${readMethod(method)} ${readPath(path)} file`;
    const fields = await readFields(environment, options);
    const { client } = await openClient(environment, options);
    const response = (await client.send(route, fields, { headers: readHeaders(options.header) })) as Response;
    const isJson = /^application\/([\w.-]+\+)?json/.test(response.headers.get('content-type') ?? '');
    if (!isJson || options.output !== undefined)
      return saveDownload(environment, { output: '-', ...options }, response);
    await printJson(environment, options, parseJson(await response.text(), 'The response is not valid JSON'));
  },
};

function readMethod(given: string): string {
  const method = given.toUpperCase();
  if (methods.includes(method)) return method;
  throw new ExitError(exitCodes.usage, `'${given}' is not one of ${methods.join(', ')}.`);
}

/** A colon or a space has a meaning of its own in the routes of the client. */
function readPath(path: string): string {
  return path.replaceAll(' ', '%20').replaceAll(':', '%3A');
}

async function readFields(environment: Environment, { input, field = [] }: CommandInput['options']) {
  const fields = typeof input === 'string' ? await readJsonObject(environment, input) : {};
  return { ...fields, ...readPairs(field as readonly string[], '--field') };
}

function readHeaders(given: CommandInput['options'][string] = []): Record<string, string> {
  const headers = (given as readonly string[]).map((text) => {
    const colon = text.indexOf(':');
    if (colon < 1) throw new ExitError(exitCodes.usage, `--header needs the form 'name: value'; got '${text}'.`);
    return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  });
  return Object.fromEntries(headers);
}
