import type { TSchema } from '@chowk/kit';

/** Removes what the schema does not name from a value that the schema accepts, and adds the names to `removed`. */
type Strip = (value: unknown, path: string, removed: string[]) => void;

/** Makes the function that tells whether a value fits a schema. */
type Fit = (schema: TSchema) => (value: unknown) => boolean;

/** The parts of a JSON schema that say which fields are known. */
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
 * The function that removes unknown fields, or `undefined` for a schema that knows of none. It runs on accepted values:
 * while the branches of a union are still being tried, nobody knows whose fields are the unknown ones.
 */
export function unknownFieldStripper(schema: TSchema, fit: Fit): Strip | undefined {
  return stripperOf(schema as Shape, fit);
}

function stripperOf(shape: Shape, fit: Fit): Strip | undefined {
  if (shape.$ref !== undefined) throw new Error('a schema of input cannot refer to another schema');
  if (shape.items) return stripEntries(shape.items, fit);
  const objects = [shape, ...(shape.allOf ?? [])].filter(namesFields);
  if (objects.length === 0) return shape.anyOf && stripUnion(shape.anyOf, fit);
  // A union beside the fields may still say which of them must be there.
  if ((shape.anyOf ?? []).some(namesFields)) throw new Error('a schema of input cannot mix fields and a union of them');
  return stripObject(objects, fit);
}

function namesFields({ properties, patternProperties }: Shape): boolean {
  return properties !== undefined || patternProperties !== undefined;
}

function stripUnion(shapes: readonly Shape[], fit: Fit): Strip | undefined {
  const branches = shapes.map((shape) => ({ strip: stripperOf(shape, fit), fits: fit(shape as TSchema) }));
  if (branches.every(({ strip }) => !strip)) return undefined;
  return (value, path, removed) => branches.find(({ fits }) => fits(value))?.strip?.(value, path, removed);
}

function stripEntries(shape: Shape, fit: Fit): Strip | undefined {
  const strip = stripperOf(shape, fit);
  if (!strip) return undefined;
  return (value, path, removed) => {
    if (!Array.isArray(value)) return;
    for (const [index, entry] of value.entries()) strip(entry, `${path}${index}.`, removed);
  };
}

/** Several shapes at once are an intersection: a field is known if one of them knows it. */
function stripObject(shapes: readonly Shape[], fit: Fit): Strip {
  const named = new Map<string, Strip | undefined>();
  const patterns: { pattern: RegExp; strip: Strip | undefined }[] = [];
  for (const { properties = {}, patternProperties = {} } of shapes) {
    for (const [name, shape] of Object.entries(properties)) named.set(name, stripperOf(shape, fit));
    for (const [pattern, shape] of Object.entries(patternProperties)) {
      patterns.push({ pattern: new RegExp(pattern, 'u'), strip: stripperOf(shape, fit) });
    }
  }
  const others = shapes.map(({ additionalProperties }) => additionalProperties).find(Boolean);
  if (others) patterns.push({ pattern: /(?:)/, strip: others === true ? undefined : stripperOf(others as Shape, fit) });
  return (value, path, removed) => {
    if (typeof value !== 'object' || value === null) return;
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
