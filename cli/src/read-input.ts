import { readFile } from 'node:fs/promises';
import type { Environment } from './environment.ts';
import { ExitError, exitCodes } from './exit.ts';

/** The content of a file, or of the standard input for `-`. */
export async function readInput({ stdin }: Environment, path: string): Promise<Buffer> {
  if (path !== '-') return readFile(path);
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export async function readJsonObject(environment: Environment, path: string): Promise<Record<string, unknown>> {
  const text = (await readInput(environment, path)).toString('utf8');
  const name = path === '-' ? 'The standard input' : path;
  const value = parseJson(text, `${name} is not valid JSON`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ExitError(exitCodes.usage, `${name} must be a JSON object, such as {"name": "value"}.`);
}

export function parseJson(text: string, problem: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ExitError(exitCodes.usage, `${problem}: ${(error as Error).message}.`);
  }
}

export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('utf8')).split(/\r?\n/);
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
