import {
  apiVersions,
  defaultApiVersion,
  fieldErrorCodes,
  permissionsFor,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  uploadField,
} from '@chowk/kit/kernel';
import { pathParameters, type RegisteredAction } from '../../actions/registry.ts';
import { hasEtag } from '../../actions/response-schema.ts';
import { kernelErrors } from '../../errors.ts';
import type { LoadedModule } from '../../loader/load-modules.ts';
import { collectPermissions } from '../../loader/permissions.ts';
import { Components, type Json } from '../../schemas/components.ts';
import { fieldDescriptions } from '../../schemas/field-descriptions.ts';
import { version } from '../../version.ts';
import { queryFields, takesBody } from '../read-input.ts';
import { createExample } from './examples.ts';
import { describeResponses, type Errors, errorCodes, headers, validationExample } from './responses.ts';
import { describeWebhooks } from './webhooks.ts';

function errorSchema(errors: Errors): Json {
  const codes = { type: 'array', items: { type: 'string', enum: Object.keys(fieldErrorCodes) } };
  return {
    type: 'object',
    description: 'Every response with a status from 400 on.',
    required: ['message'],
    properties: {
      message: { type: 'string', description: 'A sentence for people.' },
      code: {
        type: 'string',
        description: 'The error code, for programs. Existing codes do not change; new versions may add some.',
        enum: Object.keys(errors).sort(),
      },
      errors: {
        type: 'object',
        description: 'Messages about invalid input, by field; nested fields use dots.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
      error_codes: { type: 'object', description: 'A code for each message in `errors`.', additionalProperties: codes },
      request_id: { type: 'string', description: 'The `X-Request-Id` of the response; only from status 500 on.' },
    },
    examples: [validationExample],
  };
}

const headerParameters: Json = {
  tenant: {
    name: 'X-Tenant',
    in: 'header',
    schema: { type: 'string' },
    description: "The tenant's id or domain, if the host name does not identify the tenant.",
    example: 'acme-stores',
  },
  apiVersion: {
    name: 'API-Version',
    in: 'header',
    schema: { type: 'string', enum: apiVersions },
    description: `The version of the API, by its date. Default: ${defaultApiVersion}.`,
    example: defaultApiVersion,
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', maxLength: 255 },
    description:
      'Runs the request only once: the first successful response is stored for 24 hours and replayed. After a lost ' +
      'connection or a 5xx response, repeat the request with the same key.',
    example: '7d3b2c9e-order-1042',
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'The `ETag` of the record as you read it: if the record has changed since, the response is 412.',
    example: '"lz4k2m9s"',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'The `ETag` you have: if the record is unchanged, the response is 304 without a body.',
    example: '"lz4k2m9s"',
  },
};

const kernelTags: Readonly<Record<string, string>> = {
  Platform: 'The state of the service.',
  Realtime: 'Events over WebSocket, for clients of the Pusher protocol.',
};

/** The OpenAPI 3.1 document, derived from the registered actions. */
export function openApiDocument(all: readonly RegisteredAction[], modules: readonly LoadedModule[]): Json {
  const actions = all.filter(({ webPage, method }) => method && !webPage);
  const components = new Components(fieldDescriptions);
  const errors: Errors = Object.assign({}, kernelErrors, ...modules.map(({ definition }) => definition.errors ?? {}));
  // Outputs first: an input that differs from the output of the same name gets the name with `Input`.
  for (const { output } of actions) if (output) components.describe(output, 'output');
  const paths: Record<string, Json> = {};
  for (const action of actions) {
    const path = action.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [String(action.method).toLowerCase()]: operation(action, components, errors) };
  }
  const webhooks = describeWebhooks(modules, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chowk',
      version,
      summary: 'A multi-tenant commerce platform.',
      description:
        'Send a bearer token, and name the tenant by its subdomain or with the header `X-Tenant`. ' +
        'Every response has an `X-Request-Id`. An error response is JSON with a `message` for people, a `code` for ' +
        'programs and, for invalid input, `errors` and `error_codes` by field.\n\n' +
        'The [guides](/docs/first-call) begin with the first call.',
      contact: { name: 'Chowk' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    tags: listTags(actions, modules),
    paths: sorted(paths),
    webhooks,
    components: {
      schemas: { ...components.schemas, Error: errorSchema(errors) },
      responses: components.responses,
      securitySchemes: securitySchemes(actions, modules),
      parameters: headerParameters,
      headers,
    },
  };
}

function listTags(actions: readonly RegisteredAction[], modules: readonly LoadedModule[]): Json[] {
  const moduleTags = modules.map(({ manifest, definition }) => ({
    [manifest.name]: manifest.description,
    ...definition.tags,
  }));
  const descriptions: Record<string, string> = Object.assign({}, kernelTags, ...moduleTags);
  const names = [...new Set(actions.map(({ tag }) => tag))].sort();
  return names.map((name) => ({ name, description: descriptions[name] ?? name }));
}

function securitySchemes(actions: readonly RegisteredAction[], modules: readonly LoadedModule[]): Json {
  const needed = new Set(actions.flatMap(permissionsFor));
  const scopes = collectPermissions(modules).filter(({ name }) => needed.has(name));
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The access token of a user, or a personal access token.',
    },
    oauth2: {
      type: 'oauth2',
      description: 'Client credentials of an API client, limited to the permissions of the client.',
      flows: {
        clientCredentials: {
          tokenUrl: '/oauth/token',
          refreshUrl: '/oauth/token',
          scopes: Object.fromEntries(
            scopes.map(({ name, description, isSensitive }) => [
              name,
              description + (isSensitive ? ' (sensitive)' : ''),
            ]),
          ),
        },
      },
    },
  };
}

function operation(action: RegisteredAction, components: Components, errors: Errors): Json {
  const { name, tag, summary } = action;
  const permissions = permissionsFor(action);
  const scopes = permissions.length === 0 ? [[]] : permissions.map((permission) => [permission]);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [action.deprecated?.instead, action.description, accessSentence(action)].filter(Boolean).join('\n\n'),
    ...(action.deprecated ? { deprecated: true } : {}),
    security: action.public ? [] : [{ bearer: [] }, ...scopes.map((scope) => ({ oauth2: scope }))],
    parameters: parameters(action, components, errors),
    ...(takesBody(action) ? { requestBody: requestBody(action, components) } : {}),
    responses: describeResponses(action, components, errors),
  };
}

export function accessSentence(action: RegisteredAction): string {
  if (action.public) return 'No token required.';
  const [first, ...others] = permissionsFor(action).map((permission) => `\`${permission}\``);
  if (first === undefined) return 'Available to every signed-in user.';
  return others.length === 0
    ? `Requires the permission ${first}.`
    : `Requires one of the permissions ${[first, ...others].join(', ')}.`;
}

function parameters(action: RegisteredAction, components: Components, errors: Errors): Json[] {
  const { tenant, method, path, headers: own } = action;
  const ref = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  const isVersioned = hasEtag(action);
  const inPath = pathParameters(path);
  const inQuery = queryFields(action);
  return [
    ...(tenant === 'none' ? [] : [ref('tenant')]),
    ...(action.root ? [] : [ref('apiVersion')]),
    ...(method === 'POST' ? [ref('idempotencyKey')] : []),
    ...(isVersioned && method === 'GET' ? [ref('ifNoneMatch')] : []),
    ...(errorCodes(action, errors).includes('http.precondition_failed') ? [ref('ifMatch')] : []),
    ...inPath.map((name) => parameter('path', name, action, components)),
    ...inQuery.map((name) => parameter('query', name, action, components)),
    ...Object.keys(own?.properties ?? {}).map((name) => parameter('header', name, { input: own, path }, components)),
  ];
}

function parameter(
  place: string,
  name: string,
  { input, path, example = {} }: Described,
  components: Components,
): Json {
  const schema: TSchema = input?.properties[name] ?? Type.String();
  const isObject = (schema as { type?: unknown }).type === 'object';
  const required = (components.describe({ ...input, title: undefined }, 'input').required ?? []) as string[];
  const { description = describeParameter(place, name, path) } = schema as { description?: string };
  const { description: withDefault, ...described } = components.describe({ ...schema, description }, 'input');
  return {
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description: withDefault ?? description,
    // `metadata[source]=shop`
    ...(place === 'query' && isObject ? { style: 'deepObject', explode: true } : {}),
    schema: { ...described, ...listedValues(schema), ...defaultValue(schema) },
    example: example[name] ?? createExample(schema, 'input', name),
  };
}

interface Described {
  readonly example?: Json | undefined;
  readonly input?: TObject | undefined;
  readonly path: string;
}

/** The singular of the last part of a path, where it is not that of the records. */
const recordNames: Readonly<Record<string, string>> = {
  verify: 'user',
  team: 'team member',
  'reseller-register': 'application',
  status: 'message',
};

/** An id in the path is that of a record of the list before it; parameters of the query select records. */
function describeParameter(place: string, name: string, path: string): string {
  const known = fieldDescriptions[name];
  if (place !== 'path') return known ?? `Only records with this ${name.replaceAll('_', ' ')}.`;
  const [, list = name] = new RegExp(`([a-z-]+)/:${name}(?!\\w)`).exec(path) ?? [];
  const isId = known === undefined || name === 'id' || name === 'message';
  return isId ? `The id of the ${recordNames[list] ?? singular(list).replaceAll('-', ' ')}.` : known;
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(ss)es$|([^s])s$/, '$1$2');
}

/** The values of a list that is written with commas. */
function listedValues({ eachEnum }: { eachEnum?: readonly string[] }): Json {
  return eachEnum ? { items: { type: 'string', enum: eachEnum } } : {};
}

function defaultValue({ default: value }: { default?: unknown }): Json {
  return value === undefined ? {} : { default: value };
}

const bodyTypes = {
  json: ['application/json'],
  csv: ['text/csv'],
  form: ['application/x-www-form-urlencoded', 'application/json'],
  multipart: ['multipart/form-data'],
  signed: ['application/json'],
};

/** The input without path parameters. */
function requestBody(action: RegisteredAction, components: Components): Json {
  const { accepts = 'json' } = action;
  if (accepts === 'signed') return { required: true, content: { 'application/json': { schema: { type: 'object' } } } };
  const inPath = pathParameters(action.path);
  const {
    properties = {},
    required = [],
    ...rest
  } = (action.input ?? {}) as Partial<TObject> & { required?: string[] };
  const fields = Object.fromEntries(Object.entries(properties).filter(([name]) => !inPath.includes(name)));
  const body = { ...rest, properties: fields, required: required.filter((name) => !inPath.includes(name)) };
  const schema = accepts === 'csv' ? { type: 'string' } : components.describe(body, 'input');
  const example =
    action.example ?? (accepts === 'csv' ? createExample(fields.csv ?? {}, 'input') : createExample(body, 'input'));
  const isRequired =
    ((components.describe({ ...body, title: undefined }, 'input').required ?? []) as unknown[]).length > 0;
  return {
    required: isRequired,
    content: Object.fromEntries(bodyTypes[accepts].map((type) => [type, { schema, example, ...fileEncoding(fields) }])),
  };
}

/** The types of the uploaded file. */
function fileEncoding(fields: TProperties): Json {
  const upload = uploadField(fields);
  return upload ? { encoding: { [upload.name]: { contentType: upload.types.join(', ') } } } : {};
}

function sorted(record: Record<string, Json>): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => a.localeCompare(b)));
}
