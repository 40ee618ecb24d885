import type { SystemServices } from './system-services.ts';

/**
 * State that a system module keeps in memory, such as caches: one for each running platform, created by the first call.
 * A process runs one platform; tests run several.
 */
export function platformState<State>(create: (system: SystemServices) => State): (system: SystemServices) => State {
  const states = new WeakMap<SystemServices, { readonly state: State }>();
  return (system) => {
    const known = states.get(system) ?? { state: create(system) };
    states.set(system, known);
    return known.state;
  };
}
