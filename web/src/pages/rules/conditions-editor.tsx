import { type NotificationRuleField, notificationsLimits } from '@chowk/client';
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type ConditionText, fieldLabel, operatorLabels, operatorsFor } from './rule-values.ts';

const maxConditions = notificationsLimits.createRule.conditions;

interface ConditionsEditorProps {
  readonly fields: readonly NotificationRuleField[];
  readonly conditions: readonly ConditionText[];
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (conditions: readonly ConditionText[]) => void;
}

/** All of them must hold. Without one, each event of the kind causes the message. */
export function ConditionsEditor({ fields, conditions, errors, onChange }: ConditionsEditorProps) {
  const add = () => {
    const first = fields.find(({ values }) => values !== null) ?? fields[0];
    if (first) onChange([...conditions, emptyCondition(first)]);
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">Only if</legend>
      {conditions.length === 0 && <p className="text-sm text-secondary">Always.</p>}
      <ul className="grid gap-2">
        {conditions.map((condition, index) => (
          <ConditionFields
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have nothing else
            key={index}
            index={index}
            fields={fields}
            condition={condition}
            errors={errors}
            onChange={(next) => onChange(conditions.map((one, at) => (at === index ? next : one)))}
            onRemove={() => onChange(conditions.filter((_, at) => at !== index))}
          />
        ))}
      </ul>
      {conditions.length < maxConditions && fields.length > 0 && (
        <Button variant="quiet" className="-ml-3.5 justify-self-start" onClick={add}>
          <Icon icon={Plus} />
          Add a condition
        </Button>
      )}
    </fieldset>
  );
}

function emptyCondition(field: NotificationRuleField): ConditionText {
  const value = field.type === 'boolean' ? 'true' : (field.values?.[0] ?? '');
  return { field: field.path, operator: operatorsFor(field)[0] ?? 'eq', value };
}

interface ConditionFieldsProps {
  readonly index: number;
  readonly fields: readonly NotificationRuleField[];
  readonly condition: ConditionText;
  readonly errors: ConditionsEditorProps['errors'];
  readonly onChange: (condition: ConditionText) => void;
  readonly onRemove: () => void;
}

function ConditionFields({ index, fields, condition, errors, onChange, onRemove }: ConditionFieldsProps) {
  const { field: path, operator } = condition;
  const field = fields.find((one) => one.path === path);
  const name = `conditions.${index}.value`;
  const error = errors[name] ?? errors[`conditions.${index}.operator`] ?? errors[`conditions.${index}.field`];
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2 sm:grid-cols-[minmax(0,4fr)_8rem_minmax(0,3fr)_auto]">
      <Select
        aria-label={`Field of condition ${index + 1}`}
        value={path}
        onChange={({ target }) => {
          const next = fields.find((one) => one.path === target.value);
          if (next) onChange(emptyCondition(next));
        }}
      >
        {!field && <option value={path}>{path}</option>}
        {fields.map((one) => (
          <option key={one.path} value={one.path}>
            {fieldLabel(one.path)}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`Comparison of condition ${index + 1}`}
        value={operator}
        onChange={({ target }) => onChange({ ...condition, operator: target.value as ConditionText['operator'] })}
      >
        {(field ? operatorsFor(field) : [operator]).map((one) => (
          <option key={one} value={one}>
            {operatorLabels[one]}
          </option>
        ))}
      </Select>
      <div className="max-sm:col-span-2 max-sm:row-start-2">
        {operator !== 'empty' && operator !== 'not_empty' && (
          <ConditionValue
            name={name}
            label={`Value of condition ${index + 1}`}
            field={field}
            condition={condition}
            hasError={error !== undefined}
            onChange={(value) => onChange({ ...condition, value })}
          />
        )}
        {error !== undefined && (
          <p id={`${name}-error`} className="mt-1 text-xs text-error">
            {error}
          </p>
        )}
      </div>
      <IconButton label={`Remove condition ${index + 1}`} onClick={onRemove}>
        <Icon icon={X} />
      </IconButton>
    </li>
  );
}

interface ConditionValueProps {
  readonly name: string;
  readonly label: string;
  readonly field: NotificationRuleField | undefined;
  readonly condition: ConditionText;
  readonly hasError: boolean;
  readonly onChange: (value: string) => void;
}

function ConditionValue({
  name,
  label,
  field,
  condition: { operator, value },
  hasError,
  onChange,
}: ConditionValueProps) {
  const control = {
    name,
    value,
    'aria-label': label,
    'aria-invalid': hasError || undefined,
    'aria-describedby': hasError ? `${name}-error` : undefined,
  } as const;
  const values = field?.type === 'boolean' ? ['true', 'false'] : field?.values;
  if (values && (operator === 'eq' || operator === 'ne')) {
    return (
      <Select {...control} onChange={({ target }) => onChange(target.value)}>
        {!values.includes(value) && <option value={value}>{value || 'Choose a value'}</option>}
        {values.map((one) => (
          <option key={one} value={one}>
            {field?.type === 'boolean' ? (one === 'true' ? 'yes' : 'no') : fieldLabel(one).toLowerCase()}
          </option>
        ))}
      </Select>
    );
  }
  const isNumber = field?.type === 'number' || field?.type === 'money';
  return (
    <Input
      {...control}
      inputMode={isNumber ? 'decimal' : 'text'}
      placeholder={operator === 'in' ? 'one, two' : field?.type === 'time' ? '2026-01-31T09:30:00Z' : ''}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
