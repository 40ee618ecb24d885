import type { Client } from '@chowk/client';
import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { openClient } from '../open-client.ts';
import type { RecordFields } from '../output/cells.ts';
import { plainText } from '../output/plain-text.ts';
import { formatJson, printJson, printList, printRecord, wantsJson } from '../output/print.ts';
import { buildInput } from './build-input.ts';
import { confirm } from './confirm.ts';
import type { DerivedCommand } from './derived-command.ts';
import { saveDownload, uploadOptions } from './transfer.ts';

type Fields = Record<string, unknown>;
type Call = ((input: Fields, options?: object) => Promise<unknown>) & { all(input: Fields): AsyncIterable<unknown> };

/** Calls the action of a derived command and shows the response. */
export async function runAction(environment: Environment, derived: DerivedCommand, input: CommandInput): Promise<void> {
  const { options } = input;
  const given = await buildInput(environment, derived, input);
  if (derived.deletes && !options.yes) await confirm(environment, [derived.summary, ...input.arguments].join(' '));
  const { client } = await openClient(environment, options);
  const fields = await findByName(client, derived, given);
  const call = findCall(client, derived.action);
  if (derived.isPaged) return listRecords(environment, derived, { call, fields, options });
  if (derived.format === 'file') {
    return saveDownload(environment, options, (await call(fields)) as Response);
  }
  await show(environment, derived, options, await send(environment, derived, { call, fields, options }));
}

async function send(environment: Environment, { format }: DerivedCommand, { call, fields, options }: Request) {
  const upload = format && uploadOptions(environment, options);
  try {
    return await call(fields, upload?.call);
  } finally {
    upload?.end();
  }
}

/** Orders can be named by their number, products by their SKU: those are what a list shows first. */
async function findByName(
  client: Client,
  { action, arguments: args = [] }: DerivedCommand,
  fields: Fields,
): Promise<Fields> {
  const { id } = fields;
  const takesId =
    args[0]?.name === 'id' && typeof id === 'string' && !/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id);
  if (!takesId) return fields;
  if (/^orders\.|^invoices\.(issue|createCreditNote|packingSlip)$/.test(action))
    return { ...fields, id: (await client.orders.getByNumber({ order_number: id })).order.id };
  if (action.startsWith('products.'))
    return { ...fields, id: (await client.products.getBySku({ sku: id })).product.id };
  return fields;
}

function findCall(client: Client, action: string): Call {
  const [area = '', method = ''] = action.split('.');
  return (client as unknown as Record<string, Record<string, Call>>)[area]?.[method] as Call;
}

/** The message goes to stderr: the output is the record alone. */
async function show(
  environment: Environment,
  { key }: DerivedCommand,
  options: CommandInput['options'],
  body: unknown,
): Promise<void> {
  const { message, ...rest } = (body ?? {}) as RecordFields & { message?: string };
  const value = key === undefined ? rest : rest[key];
  if (wantsJson(options)) return printJson(environment, options, key === undefined ? body : value);
  if (message && !options.quiet) environment.stderr.write(`${plainText(message)}\n`);
  if (Array.isArray(value)) printList(environment, options, value, { key });
  else if (typeof value === 'object' && value !== null) {
    if (Object.keys(value).length > 0) printRecord(environment, options, value as RecordFields);
  } else if (value !== undefined) environment.stdout.write(`${plainText(String(value))}\n`);
}

interface Request {
  readonly call: Call;
  readonly fields: Fields;
  readonly options: CommandInput['options'];
}

const defaultLimit = 20;
const pageSize = 100;

/** Prints pages as they arrive; only `--jq` needs all records at once. */
async function listRecords(environment: Environment, { key }: DerivedCommand, request: Request): Promise<void> {
  const { call, fields, options } = request;
  const limit = options.all ? Number.POSITIVE_INFINITY : readLimit(options.limit as string | undefined);
  const output = createListOutput(environment, options, key);
  let left = limit;
  let cursor: string | null | undefined;
  do {
    const page = (await call({ ...fields, limit: Math.min(pageSize, left), cursor })) as Page;
    const records = Object.values(page).find(Array.isArray) ?? [];
    output.add(records);
    left -= records.length;
    cursor = page.pagination.has_more ? page.pagination.next_cursor : null;
  } while (cursor && left > 0);
  await output.end();
  if (cursor && environment.stdout.isTerminal && !options.quiet)
    environment.stderr.write(`\nThese are the first ${limit}. Use --limit=<number> or --all for more.\n`);
}

interface Page {
  readonly pagination: { readonly next_cursor: string | null; readonly has_more: boolean };
  readonly [list: string]: unknown;
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? defaultLimit : Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new ExitError(exitCodes.usage, `--limit must be a whole number above 0; got '${text}'.`);
}

interface ListOutput {
  add(records: readonly unknown[]): void;
  end(): void | Promise<void>;
}

function createListOutput(
  environment: Environment,
  options: CommandInput['options'],
  key: string | undefined,
): ListOutput {
  if (options.jq !== undefined) {
    const all: unknown[] = [];
    return { add: (records) => void all.push(...records), end: () => printJson(environment, options, all) };
  }
  if (options.json) return createJsonArray(environment);
  let hasTitles = true;
  return {
    add(records) {
      printList(environment, options, records, { key, hasTitles });
      hasTitles = false;
    },
    end() {},
  };
}

/** An array that is written record by record. */
function createJsonArray({ stdout }: Environment): ListOutput {
  let isEmpty = true;
  return {
    add(records) {
      for (const record of records) {
        const text = formatJson(record).replaceAll('\n', '\n  ');
        stdout.write(`${isEmpty ? '[\n' : ',\n'}  ${text}`);
        isEmpty = false;
      }
    },
    end: () => stdout.write(isEmpty ? '[]\n' : '\n]\n'),
  };
}
