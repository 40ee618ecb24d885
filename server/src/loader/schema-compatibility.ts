import { isDeepStrictEqual } from 'node:util';

/** JSON Schema, as far as manifests use it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

/** Why a caller that was built against one input can no longer call an operation that takes another; `undefined` if it can. */
export function inputProblem(builtAgainst: Schema, current: Schema): string | undefined {
  return problem({ value: builtAgainst, target: current, isInput: true }, '');
}

/** Why a caller that was built against one output cannot read another; `undefined` if it can. Additional fields are fine. */
export function outputProblem(builtAgainst: Schema, current: Schema): string | undefined {
  return problem({ value: current, target: builtAgainst, isInput: false }, '');
}

/** Every value that fits `value` must fit `target`. */
interface Comparison {
  readonly value: Schema;
  readonly target: Schema;
  readonly isInput: boolean;
}

function problem({ value, target, isInput }: Comparison, path: string): string | undefined {
  if (isDeepStrictEqual(value, target) || acceptsAnything(target)) return undefined;
  const compare = (from: Schema, to: Schema, field: string) => problem({ value: from, target: to, isInput }, field);
  if (value.anyOf) return first(value.anyOf, (branch) => compare(branch, target, path));
  if (target.anyOf) {
    const fits = target.anyOf.some((branch) => compare(value, branch, path) === undefined);
    return fits ? undefined : `${label(path)} has another type`;
  }
  return (
    typeProblem(value, target, path) ??
    enumProblem(value, target, path) ??
    boundsProblem(value, target, path) ??
    objectProblem({ value, target, isInput }, path) ??
    (value.items && target.items ? compare(value.items, target.items, `${path}[]`) : undefined)
  );
}

function acceptsAnything(schema: Schema): boolean {
  const { description: _, title: __, default: ___, examples: ____, ...rules } = schema;
  return Object.keys(rules).length === 0;
}

function typeProblem(value: Schema, target: Schema, path: string): string | undefined {
  if (target.type === undefined) return undefined;
  const allowed = [target.type].flat();
  const lost = [value.type ?? []].flat().filter((type) => !allowed.includes(type) && !isIntegerIn(type, allowed));
  if (value.type === undefined && value.enum === undefined && value.const === undefined) {
    return `${label(path)} has another type`;
  }
  return lost.length > 0 ? `${label(path)} can no longer be ${lost.join(' or ')}` : undefined;
}

function isIntegerIn(type: string, allowed: readonly string[]): boolean {
  return type === 'integer' && allowed.includes('number');
}

function enumProblem(value: Schema, target: Schema, path: string): string | undefined {
  const allowed = target.enum ?? (target.const === undefined ? undefined : [target.const]);
  if (!allowed) return undefined;
  const values = value.enum ?? (value.const === undefined ? undefined : [value.const]);
  if (!values) return `${label(path)} can no longer have any value`;
  const lost = values.filter((one) => !allowed.some((other) => isDeepStrictEqual(one, other)));
  return lost.length > 0 ? `${label(path)} can no longer be ${lost.map(String).join(' or ')}` : undefined;
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const exactRules = ['pattern', 'format', 'multipleOf'];

function boundsProblem(value: Schema, target: Schema, path: string): string | undefined {
  const bound = (schema: Schema, name: string, none: number) => Number(schema[name] ?? none);
  const narrower =
    lowerBounds.find((name) => bound(target, name, -Infinity) > bound(value, name, -Infinity)) ??
    upperBounds.find((name) => bound(target, name, Infinity) < bound(value, name, Infinity)) ??
    exactRules.find((name) => target[name] !== undefined && target[name] !== value[name]);
  return narrower && `${label(path)} has a stricter ${narrower}`;
}

function objectProblem({ value, target, isInput }: Comparison, path: string): string | undefined {
  const [known, expected] = [value.properties ?? {}, target.properties ?? {}];
  const field = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = (target.required ?? []).find((name) => !(value.required ?? []).includes(name));
  if (missing !== undefined) return isInput ? `${field(missing)} is now required` : `${field(missing)} may be missing`;
  const isOpen = target.additionalProperties === true || target.patternProperties !== undefined;
  return first(Object.entries(known), ([name, schema]) => {
    const other = expected[name];
    if (other) return problem({ value: schema, target: other, isInput }, field(name));
    return isInput && !isOpen && target.properties ? `${field(name)} does not exist any more` : undefined;
  });
}

function first<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function label(path: string): string {
  return path === '' ? 'the value' : path;
}
