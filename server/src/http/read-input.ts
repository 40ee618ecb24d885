import { Issues, type TObject, type TSchema, Type } from '@chowk/kit/kernel';
import type { FastifyRequest } from 'fastify';
import { pathParameters, type RegisteredAction } from '../actions/registry.ts';
import { compileText, type FieldErrors, mergeErrors, type Validator } from '../schemas/validation.ts';

/** Returns the flat input of an action and the function that validates it. */
export type ReadInput = (
  request: FastifyRequest,
  body: unknown,
) => { readonly input: unknown; readonly validate: Validator };

type Fields = Record<string, unknown>;

/** Merges path parameters, query and body into one input; path parameters take precedence. */
export function inputReader(action: RegisteredAction): ReadInput {
  if (action.unchecked) return uncheckedReader(action);
  if (!takesBody(action)) return textReader(action);
  const names = pathParameters(action.path);
  const { properties = {} } = action.input ?? {};
  const inPath = Object.fromEntries(names.map((name) => [name, properties[name] ?? Type.String()]));
  const checkPath = names.length > 0 ? compileText(Type.Object(inPath)) : undefined;
  // The fields of a form are text.
  const checkInput = action.accepts === 'multipart' && action.input ? compileText(action.input) : action.validate;
  const inQuery = Type.Object(
    Object.fromEntries(queryFields(action).map((name) => [name, properties[name] as TSchema])),
  );
  const checkQuery = action.accepts === 'csv' ? compileText(inQuery) : unknownParameters;
  const objects = objectFields(inQuery);
  return ({ params, query }, body) => {
    const path = params as Fields;
    const options = query as Fields;
    readBrackets(options, objects);
    const pathErrors = checkPath?.(path);
    const queryErrors = action.webPage ? undefined : checkQuery(options);
    const { input, bodyErrors, ignored } = flatten(
      body,
      action.accepts === 'csv' ? { ...options, ...path } : path,
      action.accepts,
    );
    return {
      input,
      validate: (value, names) => {
        names?.push(...ignored);
        const inputErrors = bodyErrors ?? checkInput(value, names);
        if (!pathErrors && !queryErrors && !inputErrors) return undefined;
        return mergeErrors(inputErrors, pathErrors, queryErrors);
      },
    };
  };
}

/** The fields of the input that are in the query. Those beside a CSV file are. */
export function queryFields(action: RegisteredAction): string[] {
  const inPath = pathParameters(action.path);
  if (takesBody(action) && action.accepts !== 'csv') return [];
  return Object.keys(action.input?.properties ?? {}).filter(
    (name) => !inPath.includes(name) && !(takesBody(action) && name === 'csv'),
  );
}

export function takesBody({ inputFrom, method, input }: RegisteredAction): boolean {
  if (inputFrom) return inputFrom === 'body';
  return input !== undefined && method !== 'GET' && method !== 'DELETE';
}

function uncheckedReader(action: RegisteredAction): ReadInput {
  const hasBody = takesBody(action);
  return ({ params, query }, body) => {
    const fields = hasBody ? flatten(body, {}, 'json').input : (query as Fields);
    return { input: { ...fields, ...(params as Fields) }, validate: action.validate };
  };
}

function textReader(action: RegisteredAction): ReadInput {
  const { input: schema = Type.Object({}), webPage } = action;
  const validate = compileText(schema);
  const names = pathParameters(action.path);
  const objects = objectFields(schema);
  return ({ query, params }) => {
    const input = query as Fields;
    readBrackets(input, objects);
    if (webPage) keepOnly(input, (name) => name in schema.properties && !names.includes(name));
    let issues: Issues | undefined;
    for (const name of names) {
      if (name in input) {
        issues ??= new Issues();
        issues.add(name, `The ${name} is in the path already.`, 'unknown');
      }
      input[name] = (params as Fields)[name];
    }
    const duplicates = issues?.errors;
    return { input, validate: duplicates ? (value) => mergeErrors(validate(value), duplicates) : validate };
  };
}

function flatten(body: unknown, path: Fields, accepts: RegisteredAction['accepts']) {
  if (accepts === 'csv') return { input: { csv: body ?? '', ...path }, bodyErrors: undefined, ignored: [] };
  if (body === undefined) return { input: { ...path }, bodyErrors: undefined, ignored: [] };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const issues = new Issues();
    issues.add('body', 'The body must be a JSON object.', 'wrong_type');
    return { input: { ...path }, bodyErrors: issues.errors, ignored: [] };
  }
  const ignored = Object.keys(path).filter((name) => name in body);
  return { input: { ...body, ...path }, bodyErrors: undefined, ignored };
}

/** Rejects query parameters of a request whose input is its body. Names that begin with `_` are ignored. */
function unknownParameters(query: Fields): FieldErrors | undefined {
  let issues: Issues | undefined;
  for (const name of Object.keys(query)) {
    if (name.startsWith('_')) continue;
    issues ??= new Issues();
    issues.add(
      name.slice(0, 100),
      `The query parameter ${name.slice(0, 100)} is unknown; send it in the body.`,
      'unknown',
    );
  }
  return issues?.errors;
}

/** Mail programs and trackers add parameters to links. */
function keepOnly(fields: Fields, isKnown: (name: string) => boolean): void {
  for (const name of Object.keys(fields)) if (!isKnown(name)) delete fields[name];
}

function objectFields({ properties }: TObject): ReadonlySet<string> {
  const isObject = (schema: { type?: unknown }) => schema.type === 'object';
  return new Set(Object.keys(properties).filter((name) => isObject(properties[name] as object)));
}

/** Many clients send a list as `tags[]=a&tags[]=b`. An object is sent as `metadata[source]=shop&metadata[size]=L`. */
function readBrackets(query: Fields, objects: ReadonlySet<string>): void {
  for (const name of Object.keys(query)) {
    const [, plain = '', key = ''] = /^([^[]+)\[([^\]]*)\]$/.exec(name) ?? [];
    if (plain === '' || (key !== '' && !objects.has(plain))) continue;
    if (key === '') query[plain] ??= query[name];
    else query[plain] = { ...(query[plain] as object | undefined), [key]: query[name] };
    delete query[name];
  }
}
