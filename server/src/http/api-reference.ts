import Fastify, { type FastifyInstance } from 'fastify';
import type { Kernel } from '../kernel.ts';
import { openApiDocument } from './openapi/document.ts';

/** The page loads scripts and styles from this server only. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Pages of the future console, which the API and mails link to; until then they redirect to the reference. */
const consolePages = ['/', '/login', '/install', '/device'];

/** Serves the OpenAPI document at `/api/openapi.json` and an interactive reference at `/docs`. */
export function mountApiReference(app: FastifyInstance, { actions, modules }: Kernel): void {
  let document: string | undefined;
  app.get('/api/openapi.json', async (_, reply) => {
    document ??= JSON.stringify(openApiDocument(actions, modules));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  for (const url of consolePages) app.get(url, async (_, reply) => reply.redirect('/docs/'));
  let page: Promise<FastifyInstance> | undefined;
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, async (request, reply) => {
      page ??= createPage();
      const { routing } = await page;
      reply.headers(pageHeaders);
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value) reply.raw.setHeader(name, value);
      reply.hijack();
      routing(request.raw, reply.raw);
      return reply;
    });
  }
}

/** Loaded on the first request: it is several megabytes. */
async function createPage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/api/openapi.json',
      pageTitle: 'Chowk API',
      persistAuth: true,
      // No links to, and no content from, third-party servers.
      hideClientButton: true,
      telemetry: false,
      withDefaultFonts: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  await page.ready();
  return page;
}
