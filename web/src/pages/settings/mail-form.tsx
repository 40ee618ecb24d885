import { type NotificationRulePreset, notificationsLimits } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { clearDraft } from '../../form/draft.ts';
import { useTypedValues } from '../../form/typed-values.ts';
import { useForm } from '../../form/use-form.ts';
import { errorMessage } from '../../format/error-message.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { useDebounced } from '../../state/debounced.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';

interface Values {
  readonly 'template.subject': string;
  readonly 'template.body': string;
}

interface MailFormProps {
  readonly preset: NotificationRulePreset;
  readonly onClose: () => void;
}

const limits = notificationsLimits.createRule;

/** The text of a mail, and beside it the mail that a customer gets. */
export function MailForm({ preset, onClose }: MailFormProps) {
  const { key, template, is_active, event } = preset;
  const draft = `mail.${key}`;
  const refetch = useRefetch();
  const form = useForm<Values>(
    async (values) => {
      await api().notifications.switchOnRulePreset({ key, template: readTemplate(values) });
      clearDraft(draft);
      toast(is_active ? 'Text saved.' : 'Text saved. Customers get this mail from now on.');
      onClose();
      await refetch(keys.notifications.presets);
    },
    { draft },
  );
  const { typed, props } = useTypedValues<Values>(form.props);
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  return (
    <div className="grid items-start gap-5 rounded-panel bg-sunken p-4 md:grid-cols-2">
      <form {...props} aria-label={`Text of ${preset.name}`} className="grid gap-4">
        {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
        {form.problem && <Notice tone="error">{form.problem}</Notice>}
        <Field label="Subject" {...form.field('template.subject')}>
          {(control) => (
            <Input
              {...control}
              defaultValue={template.subject ?? ''}
              maxLength={limits['template.subject']}
              autoComplete="off"
            />
          )}
        </Field>
        <Field label="Text" help={<Placeholders event={event} />} {...form.field('template.body')}>
          {(control) => (
            <TextArea {...control} rows={9} defaultValue={template.body} maxLength={limits['template.body']} />
          )}
        </Field>
        <Button type="submit" variant="primary" isBusy={form.isBusy} className="justify-self-start max-sm:w-full">
          {is_active ? 'Save text' : 'Save and switch on'}
        </Button>
      </form>
      {typed['template.body'] !== undefined && <MailPreview preset={preset} template={readTemplate(typed as Values)} />}
    </div>
  );
}

function readTemplate(values: Values) {
  return { subject: values['template.subject'].trim() || null, body: values['template.body'] };
}

/** What the text can have between double braces. */
function Placeholders({ event }: { readonly event: string }) {
  const { data } = useApi(keys.notifications.ruleEvents, (client) => client.notifications.listRuleEvents());
  const names = data?.events.find(({ name }) => name === event)?.placeholders.filter((name) => !name.includes('.'));
  if (!names) return <Skeleton className="h-4 w-60" />;
  return <span className="wrap-anywhere">These are filled in: {names.map((name) => `{{${name}}}`).join(' ')}</span>;
}

const pauseMs = 300;

interface MailPreviewProps {
  readonly preset: NotificationRulePreset;
  readonly template: ReturnType<typeof readTemplate>;
}

function MailPreview({ preset: { event, conditions, channel, rule_id }, template }: MailPreviewProps) {
  const asked = useDebounced(JSON.stringify({ event, conditions, channel, template }), pauseMs);
  const { data, error } = useApi(keys.notifications.rulePreview(asked), (client) =>
    client.notifications.previewRule(JSON.parse(asked)),
  );
  const shop = useApi(keys.settings.organization, (client) => client.organization.get()).data?.organization.name;
  return (
    <section aria-label="Preview" className="grid content-start gap-2">
      <h3 className="text-sm font-medium">Preview</h3>
      {error && !data ? (
        <Notice tone="warning">{errorMessage(error)}</Notice>
      ) : !data ? (
        <Skeleton className="h-48 w-full" />
      ) : (
        <>
          <div className="grid gap-3 rounded-control border border-line bg-surface p-4 text-sm">
            <div className="grid gap-0.5 border-b border-line pb-3">
              {shop && <span className="text-xs text-secondary">From {shop}</span>}
              <strong className="break-words">{data.preview.subject}</strong>
            </div>
            <p className="break-words whitespace-pre-line">{data.preview.body}</p>
          </div>
          <p className="text-xs text-secondary">
            {data.preview.source === 'latest_order' ? 'With your latest order.' : 'With a made-up order.'}
          </p>
        </>
      )}
      {rule_id && <TestButton id={rule_id} />}
    </section>
  );
}

/** Sends the text that is saved. */
function TestButton({ id }: { readonly id: string }) {
  const test = useAction((client) => client.notifications.testRule({ id }), {
    affects: [],
    done: ({ delivery }) => `A test is on its way to ${delivery.recipient ?? 'you'}.`,
  });
  return (
    <Button className="justify-self-start" isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
      Send a test to yourself
    </Button>
  );
}
