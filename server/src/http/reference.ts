import Fastify, { type FastifyInstance } from 'fastify';
import type { Kernel } from '../kernel.ts';
import { openApiDocument } from './openapi/document.ts';

/** The reference brings its scripts and styles along and talks to nobody but this server. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Where people are sent by the API and by mails. Until there is a console they find out here what they can do. */
const pagesToCome = ['/', '/login', '/install', '/device'];

/** `/api/openapi.json`, and at `/docs` a page to read it and to try it out. */
export function mountReference(app: FastifyInstance, { actions, modules }: Kernel): void {
  let document: string | undefined;
  app.get('/api/openapi.json', async (_, reply) => {
    document ??= JSON.stringify(openApiDocument(actions, modules));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  for (const url of pagesToCome) app.get(url, async (_, reply) => reply.redirect('/docs/'));
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

/** Several megabytes of script: loaded when the first reader comes. */
async function createPage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/api/openapi.json',
      pageTitle: 'Chowk API',
      persistAuth: true,
      // Nothing that leads to, or comes from, somebody else's servers.
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
