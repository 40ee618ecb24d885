import type { Action, Actions, Method, TObject } from '@chowk/kit/kernel';
import { compileBody, type Validator } from '../schemas/validation.ts';

/** An action with its name, its module and the values derived from its declaration. */
export type RegisteredAction = Action & {
  readonly name: string;
  /** `undefined` is the kernel. */
  readonly module: string | undefined;
  readonly tag: string;
  /** It belongs to a system module, which every tenant has. */
  readonly isSystem: boolean;
  readonly method: Method | undefined;
  /** The full path, with parameters as `:id`; empty if the action is not served over HTTP. */
  readonly path: string;
  readonly isReadOnly: boolean;
  readonly isAudited: boolean;
  /** A call changes accounts, roles, settings or domains, which all processes cache. */
  readonly changesCaches: boolean;
  /** Validates JSON input: of a body, over the bus, in GraphQL. Text input is validated by the HTTP layer. */
  readonly validate: Validator;
};

export interface Owner {
  readonly module: string | undefined;
  /** The default group in the API description. */
  readonly tag: string;
  readonly isSystem?: boolean;
}

const acceptAnything: Validator = () => undefined;

export function registerActions(actions: Actions, { module, tag, isSystem = false }: Owner): RegisteredAction[] {
  return Object.entries(actions).map(([name, action]) => {
    const [method, path = ''] = (action.http?.split(' ') ?? []) as [Method?, string?];
    const isReadOnly = action.readOnly ?? method === 'GET';
    return {
      ...action,
      name,
      module,
      tag: action.tag ?? tag,
      isSystem,
      method,
      path: path && !action.root ? `/api/v1${path}` : path,
      isReadOnly,
      isAudited: !action.internal && (action.audited ?? !isReadOnly),
      changesCaches: isSystem && !isReadOnly && !action.internal,
      validate:
        action.input && !action.unchecked ? compileLazily(() => compileBody(action.input as TObject)) : acceptAnything,
    };
  });
}

/** Compiles on first use, to keep the start fast. */
function compileLazily(compile: () => Validator): Validator {
  let compiled: Validator | undefined;
  return (value, ignored) => {
    compiled ??= compile();
    return compiled(value, ignored);
  };
}

/** Whether modules can call the action. */
export function isOperation({ bus, internal }: RegisteredAction): boolean {
  return bus !== undefined || internal !== undefined;
}

/** The names of the parameters in a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
}

/** Throws if two modules declare the same action name or the same route. */
export function assertUniqueActions(actions: readonly RegisteredAction[]): void {
  const owners = new Map<string, string>();
  for (const { name, module = 'kernel', method, path } of actions) {
    for (const key of [name, ...(method ? [`${method} ${path.replace(/:\w+/g, ':')}`] : [])]) {
      const other = owners.get(key);
      if (other !== undefined)
        throw new Error(`the modules ${other} and ${module} both declare ${key}; rename one of them`);
      owners.set(key, module);
    }
  }
}
