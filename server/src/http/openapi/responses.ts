import { defaultApiVersion, type ErrorKind, signedIn } from '@chowk/kit/kernel';
import type { RegisteredAction } from '../../actions/registry.ts';
import { hasEtag, responseSchema, takesIfMatch } from '../../actions/response-schema.ts';
import type { Components, Json } from '../../schemas/components.ts';
import { takesBody } from '../read-input.ts';
import { createExample } from './examples.ts';

export type Errors = Readonly<Record<string, ErrorKind>>;

const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });

export const headers: Json = {
  'X-Request-Id': described('Identifies the request in logs and for support.'),
  'API-Version': described('The version of the API that answered.', 'string', defaultApiVersion),
  'X-Ring': described('The ring that served the request.'),
  'RateLimit-Limit': described('Requests allowed per minute.', 'integer', 3000),
  'RateLimit-Remaining': described('Requests left in this minute.', 'integer', 2999),
  'RateLimit-Reset': described('Seconds until the limit is reset.', 'integer', 60),
  'Retry-After': described('Seconds to wait before retrying.', 'integer', 10),
  ETag: described('The version of the record, for `If-Match` and `If-None-Match`.', 'string', '"lz4k2m9s"'),
  'Ignored-Fields': described('Unknown fields of the body, which were ignored.', 'string', 'colour'),
  'Content-Disposition': described('The name of the file.', 'string', 'attachment; filename="orders.csv"'),
};

const deprecation: Json = {
  Deprecation: described('Since when the operation is deprecated, in seconds since 1970.', 'string', '@1793491200'),
  Sunset: described('When the operation may be removed.', 'string', 'Mon, 01 Nov 2027 00:00:00 GMT'),
};

function described(description: string, type = 'string', example: unknown = 'stable'): Json {
  return { description, schema: { type }, example };
}

/** All responses of an action. */
export function describeResponses(action: RegisteredAction, components: Components, errors: Errors): Json {
  const { answer: { status = 200 } = {}, responses = {} } = action;
  const defaultStatus = typeof status === 'number' ? status : 200;
  const failures = Map.groupBy(
    errorCodes(action, errors),
    (code) => (errors[code] ?? unknownError(action, code)).status,
  );
  const more = Object.entries(responses).filter(([other]) => Number(other) !== defaultStatus);
  const statuses = [...failures.keys(), ...more.map(([other]) => Number(other))];
  const unchanged = action.method === 'GET' && hasEtag(action) ? notModified : {};
  const others = [...new Set(statuses)].sort().map((other) => {
    const codes = failures.get(other) ?? [];
    return [
      other,
      other < 400 ? success(action, components, other) : failure(action, other, codes, components, errors),
    ];
  });
  return {
    [defaultStatus]: success(action, components, defaultStatus),
    ...unchanged,
    ...Object.fromEntries(others),
    default: components.response('Failure', {
      description: 'Any other error.',
      headers: header('X-Request-Id'),
      content: errorContent(),
    }),
  };
}

const notModified: Json = {
  304: {
    description: 'The record is unchanged since the version in `If-None-Match`.',
    headers: { ...header('X-Request-Id'), ...header('ETag') },
  },
};

const statusNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'InvalidInput',
  429: 'TooManyRequests',
  503: 'Unavailable',
};

function unknownError({ name }: RegisteredAction, code: string): never {
  throw new Error(`the action ${name} declares the error ${code}, which no module defines; add it to errors.ts`);
}

function success(action: RegisteredAction, components: Components, status: number): Json {
  const { file, responses } = action;
  const schema = responseSchema(action);
  const common = {
    ...header('X-Request-Id'),
    ...(action.root ? {} : header('API-Version')),
    ...(action.deprecated ? deprecation : {}),
    ...header('RateLimit-Limit'),
    ...header('RateLimit-Remaining'),
    ...header('RateLimit-Reset'),
    ...(action.tenant === 'none' ? {} : header('X-Ring')),
  };
  const description = responses?.[status]?.description ?? 'Success.';
  if (file) {
    const content = file.map((type) => [type.split(';')[0], { schema: { type: 'string' } }]);
    return {
      description,
      headers: { ...common, ...header('Content-Disposition') },
      content: Object.fromEntries(content),
    };
  }
  return {
    description,
    headers: {
      ...common,
      ...(hasEtag(action) ? header('ETag') : {}),
      ...(takesBody(action) && !action.unchecked ? header('Ignored-Fields') : {}),
    },
    ...(schema
      ? {
          content: {
            'application/json': {
              schema: describeBody(action, schema, components),
              example: createExample(schema, 'output'),
            },
          },
        }
      : {}),
  };
}

/** References a named output whose fields are those of the body. */
export function describeBody({ output, answer = {} }: RegisteredAction, schema: object, components: Components): Json {
  const isNamed = (output as { title?: string } | undefined)?.title !== undefined;
  if (!isNamed || answer.key !== undefined || answer.message === undefined)
    return components.describe(schema, 'output');
  const message = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } };
  return { allOf: [message, components.describe(output as object, 'output')] };
}

function failure(
  { responses = {} }: RegisteredAction,
  status: number,
  codes: readonly string[],
  components: Components,
  errors: Errors,
): Json {
  const { description, body, isAlternative = false } = responses[status] ?? {};
  const lines = codes.map((code) => `- \`${code}\`: ${errors[code]?.message}`);
  return components.response(statusNames[status] ?? `Status${status}`, {
    description: [...(description ? [description] : []), ...lines].join('\n'),
    headers: {
      ...header('X-Request-Id'),
      ...(status === 422 ? header('Ignored-Fields') : {}),
      ...(status === 429 ? header('Retry-After') : {}),
    },
    content: errorContent({
      body: body && components.describe(body, 'output'),
      isAlternative,
      examples: codes.map((code) => [code, { value: errorExample(code, errors, isAlternative ? undefined : body) }]),
    }),
  });
}

export const validationExample = {
  message: 'The email must be a valid email.',
  code: 'http.validation_failed',
  errors: { email: ['The email must be a valid email.'] },
  error_codes: { email: ['invalid'] },
};

function errorExample(code: string, errors: Errors, body: object | undefined): Json {
  if (code === 'http.validation_failed') return validationExample;
  const message = errors[code]?.message.replace(/\{\w+\}/g, '…');
  return { message, code, ...(body ? (createExample(body, 'output') as Json) : {}) };
}

interface ErrorContent {
  readonly body?: Json | undefined;
  readonly isAlternative?: boolean;
  readonly examples?: readonly (readonly [code: string, example: Json])[];
}

function errorContent({ body, isAlternative = false, examples = [] }: ErrorContent = {}): Json {
  const error = { $ref: '#/components/schemas/Error' };
  const schema = !body ? error : isAlternative ? { anyOf: [error, body] } : { allOf: [error, body] };
  const described = examples.length > 0 ? { examples: Object.fromEntries(examples) } : {};
  return { 'application/json': { schema, ...described } };
}

/** The error codes that an action can respond with, besides those of the server itself. */
export function errorCodes(action: RegisteredAction, errors: Errors): string[] {
  const { tenant = 'required', needs, module, method, path, file, accepts } = action;
  const isBound = tenant !== 'none';
  const hasBody = takesBody(action);
  const hasKey = method === 'POST';
  const codes: (string | false)[] = [
    !action.root && 'http.unknown_version',
    isBound && 'tenancy.bad_host',
    isBound && 'tenancy.ambiguous',
    isBound && 'tenancy.empty_header',
    tenant === 'required' && 'tenancy.required',
    hasBody && (accepts === 'multipart' ? 'http.malformed_form' : 'http.malformed_json'),
    needs !== undefined && 'auth.unauthenticated',
    needs !== undefined && needs !== signedIn && 'auth.forbidden',
    needs !== undefined && needs !== signedIn && 'auth.email_not_verified',
    needs === signedIn && tenant !== 'required' && 'auth.no_account',
    needs !== undefined && isBound && 'auth.not_a_member',
    isBound && 'tenancy.unknown',
    isBound && 'tenancy.suspended',
    isBound && module !== undefined && !action.isSystem && 'modules.not_installed',
    hasKey && 'http.idempotency_busy',
    hasKey && (action.isSystem || action.sendsRequests || !isBound) && 'http.idempotency_interrupted',
    hasKey && 'http.idempotency_mismatch',
    takesIfMatch(action) && 'http.precondition_failed',
    hasBody && 'http.too_large',
    hasBody && 'http.unsupported_media_type',
    accepts === 'multipart' && 'files.too_large',
    accepts === 'multipart' && 'files.wrong_type',
    accepts === 'multipart' && 'http.too_many_uploads',
    accepts === 'multipart' && isBound && 'tenancy.storage_full',
    !action.unchecked && 'http.validation_failed',
    action.input !== undefined && 'http.unstorable',
    'http.too_many_requests',
    isBound && 'tenancy.too_many_requests',
    file !== undefined && 'http.too_many_downloads',
    `${module}.not_found` in errors && path.includes(':') && `${module}.not_found`,
  ];
  return [...new Set([...codes.filter((code) => code !== false), ...(action.errors ?? [])])];
}
