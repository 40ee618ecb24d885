import type { Failure } from '@chowk/kit/kernel';
import type { RegisteredAction } from '../actions/registry.ts';
import { fail } from '../errors.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A path of the API with the methods of its actions. */
interface Path {
  readonly url: string;
  readonly pattern: RegExp;
  readonly allowed: string[];
}

/** Recognizes requests whose path has actions, but none with their method. */
export class WrongMethods {
  readonly #paths: readonly Path[];

  constructor(actions: readonly RegisteredAction[]) {
    const served = actions.filter(({ method }) => method);
    this.#paths = [...Map.groupBy(served, ({ path }) => path)].map(([url, own]) => ({
      url,
      pattern: new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
      allowed: own.map(({ method }) => method as string),
    }));
  }

  /** The failure of a request that no route has taken; `undefined` if its method is not the reason. */
  findFailure(method: string, path: string): Failure | undefined {
    const requested = methods.find((name) => name === (method === 'HEAD' ? 'GET' : method));
    const found = this.#paths.find(({ url }) => url === path) ?? this.#paths.find(({ pattern }) => pattern.test(path));
    return requested && found && !found.allowed.includes(requested)
      ? methodNotAllowed(method, found.allowed)
      : undefined;
  }

  /** Methods of a path that a more general one has: `DELETE /customers/export` is not `DELETE /customers/:id`. */
  *shadowed(): Generator<{ url: string; rejected: string[]; findFailure: (method: string) => Failure }> {
    for (const { url, allowed } of this.#paths) {
      const general = this.#paths.filter(({ pattern }) => pattern.test(url)).flatMap((path) => path.allowed);
      const rejected = methods.filter((method) => general.includes(method) && !allowed.includes(method));
      if (rejected.length > 0) yield { url, rejected, findFailure: (method) => methodNotAllowed(method, allowed) };
    }
  }
}

export function methodNotAllowed(method: string, allowed: readonly string[]): Failure {
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
  return fail('http.method_not_allowed', { method, allowed: allow }, { headers: { Allow: allow } });
}
