import type { TSchema } from '@chowk/kit/kernel';

/** Removes the fields that are not in the schema and adds their names to `removed`. */
type Strip = (value: unknown, path: string, removed: string[]) => void;

/** Compiles a function that checks a value. */
type Compile = (schema: TSchema) => (value: unknown) => boolean;

/** The keywords of JSON Schema that define fields. */
interface Shape {
  readonly $ref?: string;
  readonly anyOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
}

/**
 * Creates the function that removes unknown fields, or `undefined` for a schema without objects. It runs after the
 * validation, which finds the matching branch of a union; ajv's `removeAdditional` runs too early.
 */
export function unknownFieldStripper(schema: TSchema, compile: Compile): Strip | undefined {
  return createStripper(schema as Shape, compile);
}

function createStripper(shape: Shape, compile: Compile): Strip | undefined {
  if (shape.$ref !== undefined) throw new Error('an input schema cannot use $ref');
  if (shape.items) return stripEntries(shape.items, compile);
  const objectShapes = [shape, ...(shape.allOf ?? [])].filter(hasFields);
  if (objectShapes.length === 0) return shape.anyOf && stripUnion(shape.anyOf, compile);
  // A union beside the fields may only require some of them.
  if ((shape.anyOf ?? []).some(hasFields))
    throw new Error('an input schema cannot combine fields with a union of objects');
  return stripObject(objectShapes, compile);
}

function hasFields({ properties, patternProperties }: Shape): boolean {
  return properties !== undefined || patternProperties !== undefined;
}

function stripUnion(shapes: readonly Shape[], compile: Compile): Strip | undefined {
  const branches = shapes.map((shape) => ({
    strip: createStripper(shape, compile),
    matches: compile(shape as TSchema),
  }));
  if (branches.every(({ strip }) => !strip)) return undefined;
  return (value, path, removed) => branches.find(({ matches }) => matches(value))?.strip?.(value, path, removed);
}

function stripEntries(shape: Shape, compile: Compile): Strip | undefined {
  const strip = createStripper(shape, compile);
  if (!strip) return undefined;
  return (value, path, removed) => {
    if (!Array.isArray(value)) return;
    for (const [index, entry] of value.entries()) strip(entry, `${path}${index}.`, removed);
  };
}

/** Several shapes are an intersection: a field is known if one of them has it. */
function stripObject(shapes: readonly Shape[], compile: Compile): Strip {
  const named = new Map<string, Strip | undefined>();
  const patterns: { pattern: RegExp; strip: Strip | undefined }[] = [];
  for (const { properties = {}, patternProperties = {} } of shapes) {
    for (const [name, shape] of Object.entries(properties)) named.set(name, createStripper(shape, compile));
    for (const [pattern, shape] of Object.entries(patternProperties)) {
      patterns.push({ pattern: new RegExp(pattern, 'u'), strip: createStripper(shape, compile) });
    }
  }
  const additional = shapes.map(({ additionalProperties }) => additionalProperties).find(Boolean);
  if (additional)
    patterns.push({
      pattern: /(?:)/,
      strip: additional === true ? undefined : createStripper(additional as Shape, compile),
    });
  return (value, path, removed) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      const known = named.has(name) || patterns.find(({ pattern }) => pattern.test(name));
      if (known) {
        const strip = known === true ? named.get(name) : known.strip;
        strip?.(fields[name], `${path}${name}.`, removed);
      } else {
        delete fields[name];
        removed.push(path + name);
      }
    }
  };
}
