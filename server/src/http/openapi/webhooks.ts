import { defaultApiVersion, type EventDefinition } from '@chowk/kit/kernel';
import { isPublicEvent } from '../../events/event-hub.ts';
import type { LoadedModule } from '../../loader/load-modules.ts';
import type { Components, Json } from '../../schemas/components.ts';
import { createExample } from './examples.ts';

/** The requests that webhooks get, by event: https://spec.openapis.org/oas/v3.1.0#fixed-fields */
export function describeWebhooks(modules: readonly LoadedModule[], components: Components): Record<string, Json> {
  const sender = modules.find(({ alias }) => alias === 'webhooks');
  if (!sender) return {};
  const events = modules.flatMap(({ definition }) => Object.entries(definition.events ?? {}));
  const offered = events.filter(([, event]) => isPublicEvent(event)).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    offered.map(([name, event]) => [name, { post: describe(name, event, sender.manifest.name, components) }]),
  );
}

function describe(name: string, { summary, payload }: EventDefinition, tag: string, components: Components): Json {
  const data = components.describe(payload, 'output');
  return {
    tags: [tag],
    operationId: `webhook.${name}`,
    summary,
    description: `Sent to webhooks that subscribe to \`${name}\`, signed as Standard Webhooks describes.`,
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['id', 'type', 'timestamp', 'sequence', 'tenant_id', 'api_version', 'data'],
            properties: {
              id: { type: 'string', format: 'uuid', description: 'The id of the event.' },
              type: { type: 'string', enum: [name] },
              timestamp: { type: 'string', format: 'date-time' },
              sequence: {
                type: ['integer', 'null'],
                description: 'The position of the event among those of the tenant, as in `GET /api/v1/events`.',
              },
              tenant_id: { type: 'string' },
              api_version: { type: 'string', enum: [defaultApiVersion] },
              data,
            },
          },
          example: {
            id: '01890a5d-ac96-774b-bcce-b302099a8057',
            type: name,
            timestamp: '2026-01-31T09:30:00.000Z',
            sequence: 1_042,
            tenant_id: 'acme-stores',
            api_version: defaultApiVersion,
            data: createExample(payload, 'output'),
          },
        },
      },
    },
    responses: { '2XX': { description: 'Any 2xx response within 15 seconds is a success.' } },
  };
}
