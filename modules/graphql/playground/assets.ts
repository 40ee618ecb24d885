import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Answer } from '@chowk/kit';
import { fail } from '../errors.ts';

/** The scripts and styles of the pages, by the name in their URL. */
const files = new Map(
  Object.entries({
    'react.js': () => new URL('umd/react.production.min.js', import.meta.resolve('react/package.json')),
    'react-dom.js': () => new URL('umd/react-dom.production.min.js', import.meta.resolve('react-dom/package.json')),
    'graphiql.js': () => new URL('graphiql.min.js', import.meta.resolve('graphiql/package.json')),
    'graphiql.css': () => new URL('graphiql.min.css', import.meta.resolve('graphiql/package.json')),
    'playground.js': () => new URL('browser/playground.js', import.meta.url),
    'playground.css': () => new URL('browser/playground.css', import.meta.url),
    'session.js': () => new URL('browser/session.js', import.meta.url),
    'subscribe.js': () => new URL('browser/subscribe.js', import.meta.url),
    'sign-in.js': () => new URL('browser/sign-in.js', import.meta.url),
  }),
);

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

let version: Promise<string> | undefined;

/** A hash of all files, which changes their URLs with their content. Read on first use: they are over a megabyte. */
function assetsVersion(): Promise<string> {
  version ??= hashFiles([...files.values()].map((locate) => locate()));
  return version;
}

async function hashFiles(urls: readonly URL[]): Promise<string> {
  const hash = createHash('sha256');
  for (const url of urls) hash.update(await readFile(url));
  return hash.digest('hex').slice(0, 16);
}

/** Below it are the files: `${await assetsPath()}/react.js`. */
export async function assetsPath(): Promise<string> {
  return `/api/v1/graphql/playground/assets/${await assetsVersion()}`;
}

export async function getAsset({ version, file }: { version: string; file: string }): Promise<Answer> {
  const locate = version === (await assetsVersion()) ? files.get(file) : undefined;
  if (!locate) throw fail('graphql.asset_not_found', { file });
  return new Answer(createReadStream(locate()), {
    headers: {
      'content-type': types[extname(file)] as string,
      'cache-control': 'public, max-age=31536000, immutable',
    },
  });
}
