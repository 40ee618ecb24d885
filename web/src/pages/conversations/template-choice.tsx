import type { ReplyTemplate } from '@chowk/client';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type FilledTemplate, templateText } from './template-text.ts';
import { useTemplates } from './use-templates.ts';

interface TemplateChoiceProps {
  readonly value: FilledTemplate | undefined;
  readonly onChange: (value: FilledTemplate | undefined) => void;
}

const maxLength = 1_024;

/** A text that WhatsApp has approved, with its variables and the message that the customer gets. */
export function TemplateChoice({ value, onChange }: TemplateChoiceProps) {
  const { data, error } = useTemplates(true);
  if (error && !data) return <ReadError error={error} />;
  if (!data) return <Skeleton className="h-15 w-full" />;
  const { templates, reason } = data;
  if (reason !== null) return <Notice tone="warning">The templates cannot be read. {reason}</Notice>;
  if (templates.length === 0) {
    return <Notice>There is no approved template. Create one at Twilio, under Content Template Builder.</Notice>;
  }
  const chosen = templates.find(({ id }) => id === value?.id);
  return (
    <div className="grid gap-3">
      <Field label="Template">
        {(control) => (
          <Select
            {...control}
            value={chosen?.id ?? ''}
            onChange={({ target }) => onChange(target.value === '' ? undefined : { id: target.value, variables: {} })}
          >
            <option value="">None: only log the message</option>
            {templates.map(({ id, name, language }) => (
              <option key={id} value={id}>
                {language === '' ? name : `${name} (${language})`}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {chosen && value && <Filled template={chosen} value={value} onChange={onChange} />}
    </div>
  );
}

interface FilledProps {
  readonly template: ReplyTemplate;
  readonly value: FilledTemplate;
  readonly onChange: (value: FilledTemplate) => void;
}

function Filled({ template, value: { id, variables }, onChange }: FilledProps) {
  return (
    <>
      {template.variables.length > 0 && (
        <div className="grid gap-3 sm:grid-cols-2">
          {template.variables.map(({ name, example }) => (
            <Field key={name} label={`{{${name}}}`}>
              {(control) => (
                <Input
                  {...control}
                  value={variables[name] ?? ''}
                  placeholder={example}
                  maxLength={maxLength}
                  autoComplete="off"
                  onChange={({ target }) => onChange({ id, variables: { ...variables, [name]: target.value } })}
                />
              )}
            </Field>
          ))}
        </div>
      )}
      <p
        aria-label="Message that the customer gets"
        role="note"
        className="max-h-40 overflow-y-auto rounded-control bg-accent-tint px-3 py-2 break-words whitespace-pre-wrap"
      >
        {templateText(template, variables)}
      </p>
    </>
  );
}
