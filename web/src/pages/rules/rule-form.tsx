import { type NewNotificationRule, notificationsLimits } from '@chowk/client';
import { useRef, useState } from 'react';
import { useForm } from '../../form/use-form.ts';
import { useStored } from '../../session/stored.ts';
import { Field, Input, Select, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ConditionsEditor } from './conditions-editor.tsx';
import { RecipientField } from './recipient-field.tsx';
import { useRuleEvents } from './rule-events.ts';
import { type Channel, channels } from './rule-list.ts';
import { RulePreview } from './rule-preview.tsx';
import { type RuleTexts, toRuleInput } from './rule-values.ts';

const limits = notificationsLimits.createRule;

interface RuleFormProps {
  /** Under which unsaved changes are kept. */
  readonly draft: string;
  readonly saved: RuleTexts;
  readonly isNew?: boolean;
  readonly onSave: (input: NewNotificationRule) => Promise<void>;
}

/** When, on which conditions, to whom and what; with the message as it will be. */
export function RuleForm({ draft, saved, isNew = false, onSave }: RuleFormProps) {
  const [stored, setStored] = useStored<RuleTexts | undefined>(`draft.${draft}`, undefined);
  const [isChanged, setChanged] = useState(false);
  const texts = stored ?? saved;
  const events = useRuleEvents();
  const event = events?.find(({ name }) => name === texts.event);
  const body = useRef<HTMLTextAreaElement>(null);
  const input = toRuleInput(texts, event?.fields ?? []);
  const form = useForm<object, string>(async () => {
    await onSave(input);
    setStored(undefined);
    setChanged(false);
  });
  const change = (changes: Partial<RuleTexts>) => {
    setChanged(true);
    setStored({ ...texts, ...changes });
  };
  const discard = () => {
    form.discard();
    setStored(undefined);
    setChanged(false);
  };
  const error = (name: string) => ({ name, error: form.errors[name] });
  if (!events) return <Skeleton className="h-96 w-full" />;
  const chooseEvent = (name: string) => {
    const next = events.find((one) => one.name === name);
    const isPossible = next?.channels.includes(texts.channel);
    change({ event: name, conditions: [], ...(!isPossible && { channel: next?.channels[0] ?? 'in_app' }) });
  };
  const insert = (placeholder: string) => {
    const { selectionStart = texts.body.length, selectionEnd = texts.body.length } = body.current ?? {};
    change({ body: `${texts.body.slice(0, selectionStart)}{{${placeholder}}}${texts.body.slice(selectionEnd)}` });
    body.current?.focus();
  };
  const hasSubject = texts.channel === 'email' || texts.channel === 'in_app';
  return (
    <form {...form.props} className="grid min-w-0 gap-5">
      {stored !== undefined && !isChanged && <RestoredNotice onDiscard={discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Name" help="For your team." {...error('name')}>
        {(control) => (
          <Input
            {...control}
            value={texts.name}
            maxLength={limits.name}
            autoFocus={isNew}
            autoComplete="off"
            placeholder="On its way"
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </Field>
      <Field label="When" {...error('event')}>
        {(control) => (
          <Select {...control} value={texts.event} onChange={({ target }) => chooseEvent(target.value)}>
            {!event && <option value={texts.event}>{texts.event}</option>}
            {[...Map.groupBy(events, ({ name }) => name.split('.')[0] as string)].map(([subject, all]) => (
              <optgroup key={subject} label={subject.charAt(0).toUpperCase() + subject.slice(1)}>
                {all.map(({ name, summary }) => (
                  <option key={name} value={name}>
                    {summary}
                  </option>
                ))}
              </optgroup>
            ))}
          </Select>
        )}
      </Field>
      <ConditionsEditor
        fields={event?.fields ?? []}
        conditions={texts.conditions}
        errors={form.errors}
        onChange={(conditions) => change({ conditions })}
      />
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        <Field label="Send by" {...error('channel')}>
          {(control) => (
            <Select
              {...control}
              value={texts.channel}
              onChange={({ target }) => change({ channel: target.value as Channel })}
            >
              {(event?.channels ?? [texts.channel]).map((channel) => (
                <option key={channel} value={channel}>
                  {channel === 'in_app' ? 'Notification of the team' : `${channels[channel].label} to the customer`}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {texts.channel === 'in_app' ? (
          <RecipientField
            value={texts.recipient}
            error={form.errors['recipient.role'] ?? form.errors['recipient.user_id'] ?? form.errors.recipient}
            onChange={(recipient) => change({ recipient })}
          />
        ) : (
          <Field
            label="Purpose"
            help={
              texts.purpose === 'marketing'
                ? 'Only for customers who accept it; mails have a link to unsubscribe.'
                : 'About an order or a request of the customer.'
            }
            {...error('purpose')}
          >
            {(control) => (
              <Select
                {...control}
                value={texts.purpose}
                onChange={({ target }) => change({ purpose: target.value as RuleTexts['purpose'] })}
              >
                <option value="transactional">Transactional</option>
                <option value="marketing">Marketing</option>
              </Select>
            )}
          </Field>
        )}
      </div>
      {hasSubject && (
        <Field label={texts.channel === 'email' ? 'Subject' : 'Title'} {...error('template.subject')}>
          {(control) => (
            <Input
              {...control}
              value={texts.subject}
              maxLength={limits['template.subject']}
              autoComplete="off"
              onChange={({ target }) => change({ subject: target.value })}
            />
          )}
        </Field>
      )}
      <Field label="Text" {...error('template.body')}>
        {(control) => (
          <TextArea
            {...control}
            ref={body}
            rows={6}
            value={texts.body}
            maxLength={limits['template.body']}
            onChange={({ target }) => change({ body: target.value })}
          />
        )}
      </Field>
      <Placeholders names={event?.placeholders ?? []} onChoose={insert} />
      <RulePreview input={input} />
      {(isNew || stored !== undefined) && (
        <SaveBar
          isBusy={form.isBusy}
          action={isNew ? 'Create and switch on' : 'Save rule'}
          onDiscard={isNew ? undefined : discard}
        />
      )}
    </form>
  );
}

interface PlaceholdersProps {
  readonly names: readonly string[];
  readonly onChoose: (name: string) => void;
}

/** What is filled in; the fields of the event, which are many, in a list. */
function Placeholders({ names, onChoose }: PlaceholdersProps) {
  const [short, fields] = [names.filter((name) => !name.includes('.')), names.filter((name) => name.includes('.'))];
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-1.5">
      <span className="text-xs text-secondary">Insert</span>
      {short.map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => onChoose(name)}
          className="inline-flex h-7 items-center rounded-control bg-sunken px-2 font-mono text-xs hover:bg-accent-tint max-md:h-11"
        >
          {name}
        </button>
      ))}
      {fields.length > 0 && (
        <div className="w-44">
          <Select aria-label="Insert a field of the event" value="" onChange={({ target }) => onChoose(target.value)}>
            <option value="">Another field…</option>
            {fields.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </div>
      )}
    </div>
  );
}
