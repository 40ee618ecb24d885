import type { EventDefinition } from '@chowk/kit/kernel';
import { getValidator } from '../schemas/validation.ts';
import type { EventHubOptions } from './event-hub.ts';
import type { PendingDelivery } from './outbox.ts';

/** The payload as the modules of this ring declare it or, if they cannot read it, what the event waits for. */
export type ReadEvent = (event: Pick<PendingDelivery, 'name' | 'payload' | 'version'>) => {
  readonly payload: unknown;
  readonly waitsFor?: string;
};

interface DeclaredHere {
  readonly definition: EventDefinition;
  readonly module: string;
  readonly version: string;
}

export function eventReader({ events, versions }: Pick<EventHubOptions, 'events' | 'versions'>): ReadEvent {
  const declared = new Map<string, DeclaredHere>();
  for (const [module, own] of events) {
    const version = versions.get(module) as string;
    for (const [name, definition] of Object.entries(own)) declared.set(name, { definition, module, version });
  }
  return ({ name, payload, version }) => {
    const here = declared.get(name);
    if (!here) return { payload, waitsFor: `a ring whose modules declare ${name}` };
    if (version === null || version === here.version) return { payload };
    const copy = structuredClone(payload);
    const errors = getValidator(here.definition.payload)(copy);
    if (!errors) return { payload: copy };
    const fields = Object.keys(errors).slice(0, 3).join(', ');
    return {
      payload,
      waitsFor: `a ring that can read ${name} of ${here.module} ${version}; ${here.version} cannot (${fields})`,
    };
  };
}
