import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Kernel } from '../kernel.ts';
import { guidePage } from './guides/page.ts';
import { openApiDocument } from './openapi/document.ts';
import { limitAnonymous } from './rate-limit.ts';

/** The page loads scripts and styles from this server only. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Serves the OpenAPI document at `/api/openapi.json`, an interactive reference at `/docs` and the guides below it. */
export function mountApiReference(app: FastifyInstance, kernel: Kernel): void {
  const limited = {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => limitAnonymous(kernel, request, reply),
  };
  let document: { readonly text: string; readonly etag: string } | undefined;
  app.get('/api/openapi.json', limited, async (request, reply) => {
    document ??= describe(kernel);
    reply.headers({ etag: document.etag, 'cache-control': 'public, no-cache' });
    if (request.headers['if-none-match'] === document.etag) return reply.status(304).send();
    return reply.type('application/json; charset=utf-8').send(document.text);
  });
  let page: Promise<FastifyInstance> | undefined;
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, limited, async (request, reply) => {
      reply.headers(pageHeaders);
      const [, name = ''] = /^\/docs\/([a-z-]+)\/?(?:\?|$)/.exec(request.url) ?? [];
      const guide = await guidePage(name);
      if (guide !== undefined) return reply.type('text/html; charset=utf-8').send(guide);
      page ??= createPage();
      const { routing } = await page;
      if (request.url === '/docs/') return reply.type('text/html; charset=utf-8').send(html);
      if (request.url === '/docs/start.js') return reply.type('text/javascript; charset=utf-8').send(startScript);
      // Several megabytes that change only with an upgrade.
      if (request.url === '/docs/js/scalar.js') reply.header('cache-control', 'public, max-age=86400');
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value) reply.raw.setHeader(name, value);
      reply.hijack();
      routing(request.raw, reply.raw);
      return reply;
    });
  }
}

function describe({ actions, modules }: Kernel) {
  const text = JSON.stringify(openApiDocument(actions, modules));
  return { text, etag: `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"` };
}

const configuration = {
  url: '/api/openapi.json',
  persistAuth: true,
  // No links to, and no content from, third-party servers.
  hideClientButton: true,
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
} as const;

/** In place of the library's page, whose script is inline. */
const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Chowk API</title>
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/js/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;
const startScript = `Scalar.createApiReference('#app', ${JSON.stringify(configuration)});\n`;

/** Loaded on the first request: it is several megabytes. */
async function createPage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(reference, { routePrefix: '/docs', configuration });
  await page.ready();
  return page;
}
