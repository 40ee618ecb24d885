import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { manifest, type TestRelease } from './release-files.ts';

export type Answer = (response: ServerResponse, headers: IncomingHttpHeaders) => void;

export interface ReleaseServer {
  readonly url: string;
  /** The answers by path. Others get 404. */
  readonly answers: Record<string, Answer>;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  stop(): Promise<void>;
}

export const releasesPath = '/api/v1/cli/releases';

export const body =
  (content: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(200, headers).end(content);
export const json = (value: unknown): Answer => body(JSON.stringify(value), { 'content-type': 'application/json' });
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end();

/** A server with the answers, on a port of this computer. */
export async function startServer(answers: Record<string, Answer> = {}): Promise<ReleaseServer> {
  const requests: ReleaseServer['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    (answers[path] ?? status(404))(response, request.headers);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A server for one test. */
export async function serve(answers?: Record<string, Answer>): Promise<ReleaseServer> {
  const server = await startServer(answers);
  onTestFinished(server.stop);
  return server;
}

/** The answers of a platform with releases, each with the content of its only file. */
export function platformAnswers(
  releases: readonly (readonly [TestRelease, Buffer])[],
  changes: object = {},
): Record<string, Answer> {
  const files = releases.map(([{ assets }, content]) => [assets[0]?.url ?? '', body(content)]);
  return {
    [releasesPath]: json(
      manifest(
        releases.map(([one]) => one),
        changes,
      ),
    ),
    ...Object.fromEntries(files),
  };
}
