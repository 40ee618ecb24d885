import type { DescribedSetting } from '@chowk/client';
import type { ComponentProps, ReactNode } from 'react';
import { useCan } from '../../api/use-api.ts';
import { useTypedValues } from '../../form/typed-values.ts';
import { type Form, useForm } from '../../form/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { type SettingSchema, settingLabel, settingValue } from './setting-schema.ts';
import { type SettingValues, useSaveSettings, useSettings } from './use-settings.ts';

type Control = Pick<ComponentProps<'select'>, 'id' | 'name' | 'aria-describedby' | 'aria-invalid'>;
export type Controls = Readonly<Record<string, (control: Control, value: string) => ReactNode>>;

interface SettingsFormProps {
  /** Dotted: `orders.number_prefix`. Those that the tenant does not have are left out. */
  readonly settings: readonly string[];
  /** Instead of the control that follows from the schema. */
  readonly controls?: Controls;
  /** Below the fields, from what is in them. */
  readonly children?: (values: SettingValues) => ReactNode;
}

/** A form of settings, with the descriptions and the schemas of their modules. */
export function SettingsForm({ settings, controls = {}, children }: SettingsFormProps) {
  const { values, definitions, error } = useSettings();
  if (!values) return <Loading error={error} className="h-40" />;
  const shown = settings.flatMap((key) => definitions.filter((one) => one.key === key));
  const current = Object.fromEntries(shown.map(({ key }) => [key, values[key]]));
  return (
    <Fields key={JSON.stringify(current)} definitions={shown} values={current} controls={controls}>
      {children}
    </Fields>
  );
}

interface FieldsProps {
  readonly definitions: readonly DescribedSetting[];
  readonly values: SettingValues;
  readonly controls: Controls;
  readonly children: SettingsFormProps['children'];
}

function Fields({ definitions, values, controls, children }: FieldsProps) {
  const canEdit = useCan()('settings.edit');
  const draft = `settings.${definitions[0]?.key}`;
  const save = useSaveSettings(draft);
  const readAll = (typed: Readonly<Record<string, string>>) =>
    Object.fromEntries(definitions.map(({ key, schema }) => [key, settingValue(schema as SettingSchema, typed[key])]));
  const form = useForm<Readonly<Record<string, string>>>(
    async (typed) => {
      const changes = Object.entries(readAll(typed)).filter(([key, value]) => value !== values[key]);
      if (changes.length === 0) return;
      await save(Object.fromEntries(changes), values);
    },
    { draft },
  );
  const { typed, props } = useTypedValues<Readonly<Record<string, string>>>(form.props);
  const isShown = Object.keys(typed).length > 0;
  return (
    <form {...props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <fieldset disabled={!canEdit} className="contents">
        {definitions.map((definition) => (
          <SettingField
            key={definition.key}
            definition={definition}
            value={values[definition.key]}
            control={controls[definition.key]}
            form={form}
          />
        ))}
      </fieldset>
      {children?.(isShown ? readAll(typed as Readonly<Record<string, string>>) : values)}
      {canEdit && (
        <Button type="submit" variant="primary" isBusy={form.isBusy} className="justify-self-start max-sm:w-full">
          Save
        </Button>
      )}
    </form>
  );
}

interface SettingFieldProps {
  readonly definition: DescribedSetting;
  readonly value: unknown;
  readonly control: Controls[string] | undefined;
  readonly form: Pick<Form<Readonly<Record<string, string>>>, 'field'>;
}

function SettingField({ definition: { key, description, schema }, value, control: custom, form }: SettingFieldProps) {
  const { type, enum: options, maxLength } = schema as SettingSchema;
  const label = settingLabel(key);
  if (type === 'boolean') return <Switch label={label} help={withCode(description)} name={key} isOn={value === true} />;
  const text = String(value ?? '');
  const isNumber = type === 'integer' || type === 'number';
  return (
    <Field label={label} help={withCode(description)} {...form.field(key)}>
      {(control) =>
        custom ? (
          custom(control, text)
        ) : options ? (
          <Select {...control} defaultValue={text}>
            {options.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        ) : (
          <Input
            {...control}
            defaultValue={text}
            maxLength={maxLength}
            inputMode={isNumber ? 'decimal' : 'text'}
            autoComplete="off"
            className={isNumber ? 'numeric max-w-40' : 'max-w-80'}
          />
        )
      }
    </Field>
  );
}

/** Descriptions have values between backticks. */
function withCode(description: string): ReactNode {
  const parts = description.split('`');
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
  return parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

interface SwitchProps {
  readonly label: string;
  readonly help: ReactNode;
  readonly name: string;
  readonly isOn: boolean;
}

function Switch({ label, help, name, isOn }: SwitchProps) {
  return (
    <div className="grid">
      <Checkbox label={<span className="font-medium">{label}</span>} name={name} defaultChecked={isOn} />
      <p className="pl-6.5 text-xs text-faint">{help}</p>
    </div>
  );
}
