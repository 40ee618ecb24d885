import { type Route, signedIn, type TObject, type TSchema } from '@chowk/kit';
import { version } from '../version.ts';

type Json = Record<string, unknown>;

/** The parts of a schema that say what a caller must send. */
interface Sent extends Json {
  required?: string[];
  properties?: Record<string, Json>;
  items?: Json;
}

const errorBody: Json = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string' },
    code: { type: 'string', description: 'See the list of errors.' },
    errors: {
      type: 'object',
      description: 'What is wrong, field by field; nested fields use dots.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    request_id: { type: 'string' },
  },
};

/** The OpenAPI 3.1 description, made from the same route table that serves the requests. */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  const api = routes.filter(({ page }) => !page);
  for (const route of api) {
    const path = (route.root ? route.path : `/api/v1${route.path}`).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path) };
  }
  const sorted = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => a.localeCompare(b)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chowk',
      version,
      summary: 'A multi-tenant commerce platform.',
      description:
        "Send a bearer token, and say which tenant a request is for: by the tenant's subdomain or by `X-Tenant`. " +
        'Every answer carries `X-Request-Id`. A failure is JSON with a `message` for people, a `code` for programs, ' +
        'and for refused input `errors`, field by field.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(api.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    paths: sorted,
    components: {
      schemas: { Error: errorBody },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: {
        tenant: {
          name: 'X-Tenant',
          in: 'header',
          schema: { type: 'string' },
          description: "A tenant's id or domain, where the host name does not say it.",
        },
        idempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          schema: { type: 'string', maxLength: 255 },
          description: 'Makes the request happen once: the first answer is kept for 24 hours and given again.',
        },
      },
    },
  };
}

function operation(route: Route, path: string): Json {
  const success = String(route.status ?? 200);
  return {
    operationId: operationId(route, path),
    tags: [route.tag],
    summary: route.summary,
    ...(route.needs && route.needs !== signedIn ? { description: `Needs the permission \`${route.needs}\`.` } : {}),
    security: route.public ? [] : [{ bearer: [] }],
    parameters: [
      ...(route.tenant === 'none' ? [] : [{ $ref: '#/components/parameters/tenant' }]),
      ...(route.method === 'POST' ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
    ],
    ...(route.body ? { requestBody: { required: true, content: bodyOf(route.body, route.accepts) } } : {}),
    responses: {
      [success]: { description: 'Success', ...(route.answer ? { content: json(route.answer) } : {}) },
      ...Object.fromEntries(
        Object.entries(route.also ?? {}).map(([status, other]) => [status, otherAnswer(status, other)]),
      ),
      default: { description: 'Failure', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  };
}

function otherAnswer(status: string, { description, body }: NonNullable<Route['also']>[number]): Json {
  if (Number(status) < 400) return { description, ...(body ? { content: json(body) } : {}) };
  const error = { $ref: '#/components/schemas/Error' };
  return { description, content: json(body ? { allOf: [error, body] } : error) };
}

/** `GET /api/v1/customers/{id}` is `getCustomersById`. */
function operationId({ method }: Route, path: string): string {
  const words = path
    .replace(/^\/api(\/v1)?/, '')
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^a-zA-Z0-9]+/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parameters(place: 'path' | 'query' | 'header', schema: TObject | undefined): Json[] {
  if (!schema) return [];
  const required = new Set(asSent(schema).required as string[] | undefined);
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.has(name),
    schema: property,
  }));
}

/** A field with a default is always there for the route, yet nobody needs to send it. */
function asSent(schema: object): Json {
  const { required, properties = {}, items } = schema as Sent;
  const sent = Object.entries(properties).map(([name, property]) => [name, asSent(property)]);
  return {
    ...schema,
    ...(required ? { required: required.filter((name) => properties[name]?.default === undefined) } : {}),
    ...(sent.length > 0 ? { properties: Object.fromEntries(sent) } : {}),
    ...(items ? { items: asSent(items) } : {}),
  };
}

function bodyOf(schema: TSchema, accepts: Route['accepts']): Json {
  if (accepts === 'csv') return { 'text/csv': { schema } };
  if (accepts === 'form') return { 'application/x-www-form-urlencoded': { schema: asSent(schema) } };
  return json(asSent(schema));
}

function json(schema: TSchema | Json): Json {
  return { 'application/json': { schema } };
}
