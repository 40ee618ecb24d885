import { readFile } from 'node:fs/promises';
import { type Static, Type } from '@chowk/kit';
import { compileBody } from '../validation.ts';

const alias = '^[a-z][a-z0-9-]{0,48}$';
const dotted = '^[a-z][a-z0-9-]*(\\.[a-zA-Z_][a-zA-Z0-9_]*)+$';
const semver = '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$';

const Provided = Type.Object({
  name: Type.String({ pattern: dotted }),
  description: Type.String({ minLength: 1 }),
  input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  permission: Type.Optional(Type.String()),
  /** Calls a minute for each caller in each tenant. */
  rate_limit: Type.Optional(Type.Integer({ minimum: 1 })),
  graphql_expose: Type.Optional(Type.Boolean()),
});

const Setting = Type.Object({
  key: Type.String({ pattern: dotted }),
  schema: Type.Record(Type.String(), Type.Unknown()),
  default: Type.Unknown(),
  description: Type.String({ minLength: 1 }),
  permission: Type.Optional(Type.String()),
});

const Manifest = Type.Object({
  name: Type.String({ minLength: 1 }),
  alias: Type.String({ pattern: alias }),
  version: Type.String({ pattern: semver }),
  description: Type.String({ minLength: 1 }),
  compatibility: Type.Object({ platform: Type.String({ minLength: 1 }) }),
  /** May use the central database. */
  system: Type.Optional(Type.Boolean()),
  auto_install: Type.Optional(Type.Boolean()),
  api: Type.Optional(
    Type.Object({
      provides: Type.Optional(Type.Array(Provided)),
      consumes: Type.Optional(Type.Array(Type.String({ pattern: dotted }))),
    }),
  ),
  events: Type.Optional(
    Type.Object({
      emits: Type.Optional(Type.Array(Type.String({ pattern: dotted }))),
      listens: Type.Optional(Type.Array(Type.String({ pattern: dotted }))),
    }),
  ),
  permissions: Type.Optional(Type.Array(Type.String({ pattern: dotted }))),
  settings: Type.Optional(Type.Array(Setting)),
  graphql: Type.Optional(
    Type.Object({
      auto_resolve: Type.Optional(Type.Boolean()),
      providers: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  /** Which tables hold personal data, and where. */
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export type Manifest = Static<typeof Manifest>;

const validate = compileBody(Manifest);

/** Reads a `module.json`. What is wrong with it is told by file and field. */
export async function readManifest(file: string): Promise<Manifest> {
  const manifest = parse(file, await readText(file));
  const errors = Object.entries(validate(manifest) ?? {});
  if (errors.length > 0)
    throw new Error(`${file}: ${errors.map(([field, [first]]) => `${field}: ${first}`).join('; ')}`);
  return manifest as Manifest;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}
