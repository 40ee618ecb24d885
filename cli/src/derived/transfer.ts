import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { type CallOptions, NetworkError } from '@chowk/client';
import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { plainLine } from '../output/plain-text.ts';
import { startProgress } from '../output/progress.ts';
import { temporaryFileFor } from '../temporary-files.ts';

/** Writes a file of the platform where `--output` says. An incomplete file never has the final name. */
export async function saveDownload(
  environment: Environment,
  options: CommandInput['options'],
  response: Response,
): Promise<void> {
  const target = chooseTarget(environment, options, response);
  const total = Number(response.headers.get('content-length')) || undefined;
  const progress = startProgress(environment, options, { title: 'Downloading', total });
  const chunks = readChunks(response, (bytes) => progress.add(bytes));
  try {
    if (target === '-') for await (const chunk of chunks) environment.stdout.write(chunk);
    else await writeFile(target, chunks);
  } finally {
    progress.end();
  }
  if (target !== '-' && !options.quiet) environment.stderr.write(`Wrote ${target}.\n`);
}

function chooseTarget({ stdout }: Environment, options: CommandInput['options'], { headers }: Response): string {
  if (typeof options.output === 'string') return options.output;
  if (!stdout.isTerminal) return '-';
  const given = /filename="?([^";]+)/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'download';
  const name = basename(plainLine(given).replaceAll('\\', '/')).replace(/^\.+/, '') || 'download';
  if (!existsSync(name)) return name;
  throw new ExitError(exitCodes.general, `${name} exists already. Choose a file with --output=<file>.`);
}

async function* readChunks({ body }: Response, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw new NetworkError('The connection was lost.', { cause: error });
    });
    if (done) return;
    onBytes(value.length);
    yield value;
  }
}

async function writeFile(target: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = temporaryFileFor(target);
  const file = await open(temporary, 'w');
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
    await file.close();
    await rename(temporary, target);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

const chunkSize = 64 * 1024;

/** Options of a call that show the progress of an upload. */
export function uploadOptions(
  environment: Environment,
  options: CommandInput['options'],
): { readonly call: CallOptions; end(): void } | undefined {
  if (!environment.stderr.isTerminal || options.quiet) return undefined;
  let progress = startProgress(environment, options, { title: 'Uploading' });
  const upload: typeof fetch = (address, init) => {
    if (typeof init?.body !== 'string') return environment.fetch(address, init);
    const bytes = new TextEncoder().encode(init.body);
    progress = startProgress(environment, options, { title: 'Uploading', total: bytes.length });
    const body = streamChunks(bytes, (count) => progress.add(count));
    return environment.fetch(address, { ...init, body, duplex: 'half' } as RequestInit);
  };
  return { call: { fetch: upload }, end: () => progress.end() };
}

function streamChunks(bytes: Uint8Array, onBytes: (count: number) => void): ReadableStream {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = bytes.subarray(offset, offset + chunkSize);
      offset += chunk.length;
      onBytes(chunk.length);
      if (chunk.length === 0) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
