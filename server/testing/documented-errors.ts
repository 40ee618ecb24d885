import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { RegisteredAction } from '../src/actions/registry.ts';
import { openApiDocument } from '../src/http/openapi/document.ts';
import type { Kernel } from '../src/kernel.ts';
import type { TestResponse } from './platform.ts';

interface Response {
  readonly $ref?: string;
  readonly content?: Record<string, { schema: object }>;
}
interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  readonly components: { readonly responses: Record<string, Response> };
}

/** Returns a function that finds how an error response differs from the API description; `undefined` if it does not. */
export function undocumentedErrors({ actions, modules }: Kernel) {
  const { paths, components } = openApiDocument(actions, modules) as unknown as Document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validators = new Map<string, ValidateFunction>();

  function findSchema({ path, method = 'GET' }: RegisteredAction, status: number): object | false {
    const responses = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses ?? {};
    const response = responses[status] ?? responses.default;
    const { content } = (response?.$ref ? components.responses[response.$ref.split('/')[3] ?? ''] : response) ?? {};
    return content?.['application/json']?.schema ?? false;
  }

  function getValidator(schema: object | false): ValidateFunction {
    const key = JSON.stringify(schema);
    const validator = validators.get(key) ?? ajv.compile(schema && { ...schema, components });
    validators.set(key, validator);
    return validator;
  }

  return (action: RegisteredAction, { status, body }: TestResponse): string | undefined => {
    const validate = getValidator(findSchema(action, status));
    const isDocumented: boolean = validate(body);
    if (!isDocumented) return ajv.errorsText(validate.errors);
    // GraphQL has a list of errors.
    if (Array.isArray(body.errors)) return undefined;
    const [fields, coded] = [body.errors, body.error_codes].map((map) => Object.keys(map ?? {}).join());
    if (body.code === 'http.validation_failed' && fields === '') return 'no field is named';
    return fields === coded ? undefined : `errors has the fields ${fields} and error_codes ${coded}`;
  };
}
