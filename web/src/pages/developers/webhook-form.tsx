import type { Webhook } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { type Form, useForm } from '../../form/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { chosenEvents, eventPrefix, groupEvents } from './webhook-events.ts';

interface Values {
  readonly url: string;
  readonly description: string;
  readonly [event: `${typeof eventPrefix}${string}`]: 'on';
}

export interface WebhookInput {
  readonly url: string;
  readonly description: string | null;
  readonly events: string[];
}

interface WebhookFormProps {
  readonly draft: string;
  readonly webhook?: Webhook;
  readonly action: string;
  readonly onCancel: () => void;
  readonly send: (input: WebhookInput) => Promise<void>;
}

export function WebhookForm({ draft, webhook, action, onCancel, send }: WebhookFormProps) {
  const form = useForm<Values, 'events'>(
    (values) =>
      send({ url: values.url, description: values.description || null, events: chosenEvents(Object.keys(values)) }),
    { draft },
  );
  return (
    <form {...form.props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Address" help="Gets a POST request for each event. Must be https." {...form.field('url')}>
        {(control) => (
          <Input
            {...control}
            type="url"
            inputMode="url"
            defaultValue={webhook?.url}
            placeholder="https://hooks.example.com/chowk"
            autoFocus
          />
        )}
      </Field>
      <Field label="Name" help="For your team." {...form.field('description')}>
        {(control) => (
          <Input {...control} defaultValue={webhook?.description ?? ''} placeholder="Warehouse" maxLength={255} />
        )}
      </Field>
      <EventFields chosen={webhook?.events ?? []} error={eventError(form.errors)} />
      <div className="flex justify-end gap-2 border-t border-line pt-4">
        <Button
          variant="quiet"
          onClick={() => {
            form.discard();
            onCancel();
          }}
        >
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function eventError(errors: Form<Values, 'events'>['errors']): string | undefined {
  const [, message] = Object.entries(errors).find(([field]) => field.startsWith('events')) ?? [];
  return errors.events ? 'Choose at least one event.' : message;
}

interface EventFieldsProps {
  readonly chosen: readonly string[];
  readonly error: string | undefined;
}

function EventFields({ chosen, error }: EventFieldsProps) {
  const { data, error: failure } = useApi(keys.webhooks.events, (client) => client.webhooks.events());
  return (
    <fieldset name="events" className="grid gap-4">
      <legend className="pb-2 text-sm font-medium">Events</legend>
      {error && <Notice tone="error">{error}</Notice>}
      {data ? (
        <div className="grid gap-4 rounded-control border border-line p-4">
          <Checkbox
            name={`${eventPrefix}*`}
            defaultChecked={chosen.includes('*')}
            label="All events, also future ones"
          />
          {groupEvents(data.events, chosen).map(({ title, pattern, events }) => (
            <div key={pattern} className="grid">
              <p className="text-xs font-medium text-secondary">{title}</p>
              <Checkbox
                name={eventPrefix + pattern}
                defaultChecked={chosen.includes(pattern)}
                label={<span className="text-sm">All of these, also future ones</span>}
              />
              {events.map(({ name, summary }) => (
                <Checkbox
                  key={name}
                  name={eventPrefix + name}
                  defaultChecked={chosen.includes(name)}
                  label={
                    <span className="grid py-0.5 text-sm">
                      {summary}
                      <span className="text-xs break-all text-faint">{name}</span>
                    </span>
                  }
                />
              ))}
            </div>
          ))}
        </div>
      ) : (
        <Loading error={failure} className="h-80" />
      )}
    </fieldset>
  );
}
