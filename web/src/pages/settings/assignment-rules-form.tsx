import type { ConversationAgent } from '@chowk/client';
import { ArrowUp, Plus, X } from 'lucide-react';
import { useCan } from '../../api/use-api.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { channels } from '../conversations/conversation-list.ts';
import { type AssignmentRule, type EditedRule, editedRule, toRule } from './assignment-rules.ts';
import { DraftButtons } from './draft-buttons.tsx';
import { useSettingDraft } from './setting-draft.ts';
import type { SettingValues } from './use-settings.ts';

const key = 'conversations.assignment_rules';

interface AssignmentRulesFormProps {
  readonly values: SettingValues;
  readonly agents: readonly ConversationAgent[];
}

/** The first rule that fits assigns a conversation, so they have an order. */
export function AssignmentRulesForm({ values, agents }: AssignmentRulesFormProps) {
  const canEdit = useCan()('settings.edit');
  const { value, onChange, isChanged, discard, form } = useSettingDraft<readonly EditedRule[]>({
    key,
    values,
    saved: ((values[key] ?? []) as readonly AssignmentRule[]).map(editedRule),
    toSetting: (rules) => rules.map(toRule),
  });
  return (
    <form {...form.props} aria-label="Rules of assignment" className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {value.length === 0 && <p className="flex min-h-9 items-center text-secondary">No rules</p>}
      <fieldset disabled={!canEdit} className="contents">
        {value.length > 0 && (
          <ol className="grid gap-3">
            {value.map((rule, index) => (
              <Rule
                // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity but their place
                key={index}
                number={index + 1}
                rule={rule}
                agents={agents}
                canEdit={canEdit}
                onChange={(next) => onChange(value.with(index, next))}
                onRaise={() => onChange(value.toSpliced(index - 1, 2, rule, value[index - 1] as EditedRule))}
                onRemove={() => onChange(value.toSpliced(index, 1))}
              />
            ))}
          </ol>
        )}
      </fieldset>
      {canEdit && (
        <>
          <Button
            className="justify-self-start"
            onClick={() => onChange([...value, { channel: '', words: '', assignee_id: '' }])}
          >
            <Icon icon={Plus} />
            Add a rule
          </Button>
          <DraftButtons label="Save rules" isChanged={isChanged} isBusy={form.isBusy} onDiscard={discard} />
        </>
      )}
    </form>
  );
}

interface RuleProps {
  readonly number: number;
  readonly rule: EditedRule;
  readonly agents: readonly ConversationAgent[];
  readonly canEdit: boolean;
  readonly onChange: (rule: EditedRule) => void;
  readonly onRaise: () => void;
  readonly onRemove: () => void;
}

function Rule({ number, rule, agents, canEdit, onChange, onRaise, onRemove }: RuleProps) {
  const set = (name: keyof EditedRule) => (event: { readonly target: { readonly value: string } }) =>
    onChange({ ...rule, [name]: event.target.value });
  const isKnown = rule.assignee_id === '' || agents.some(({ user }) => String(user.id) === rule.assignee_id);
  return (
    <li aria-label={`Rule ${number}`} className="grid gap-3 rounded-panel bg-sunken p-4">
      <div className="-my-1.5 flex items-center">
        <span className="mr-auto text-sm font-semibold">Rule {number}</span>
        {canEdit && number > 1 && (
          <IconButton label={`Move rule ${number} up`} onClick={onRaise}>
            <Icon icon={ArrowUp} />
          </IconButton>
        )}
        {canEdit && (
          <IconButton label={`Remove rule ${number}`} onClick={onRemove}>
            <Icon icon={X} />
          </IconButton>
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Channel">
          {(control) => (
            <Select {...control} value={rule.channel} onChange={set('channel')}>
              <option value="">Any channel</option>
              {Object.entries(channels).map(([channel, { label }]) => (
                <option key={channel} value={channel}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Assigned to">
          {(control) => (
            <Select {...control} value={rule.assignee_id} onChange={set('assignee_id')}>
              <option value="" disabled>
                Choose a member
              </option>
              {!isKnown && <option value={rule.assignee_id}>A member who may not answer</option>}
              {agents.map(({ user }) => (
                <option key={user.id} value={user.id}>
                  {user.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Field label="Words" help="One of them is in the subject or the message. With commas; without any, all messages.">
        {(control) => (
          <Input
            {...control}
            value={rule.words}
            onChange={set('words')}
            placeholder="refund, money back"
            autoComplete="off"
          />
        )}
      </Field>
    </li>
  );
}
