import { type Form, useForm } from '../../form/use-form.ts';
import { useStored } from '../../session/stored.ts';
import { type SettingValues, useSaveSettings } from './use-settings.ts';

interface SettingDraft<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly isChanged: boolean;
  readonly discard: () => void;
  readonly form: Form<object>;
}

interface SettingDraftOptions<Value> {
  readonly key: string;
  readonly values: SettingValues;
  /** What is saved, as it is edited. */
  readonly saved: Value;
  /** The value of the setting. Throws what has to be corrected. */
  readonly toSetting: (value: Value) => unknown;
}

/** A setting that is a list, edited as a whole. The browser keeps it until it is saved. */
export function useSettingDraft<Value>(options: SettingDraftOptions<Value>): SettingDraft<Value> {
  const { key, values, saved, toSetting } = options;
  const draft = `settings.${key}`;
  const [value, setValue] = useStored<Value>(`draft.${draft}.list`, saved);
  const save = useSaveSettings(draft);
  const form = useForm(async () => {
    await save({ [key]: toSetting(value) }, values);
    setValue(undefined);
  });
  return {
    value,
    onChange: setValue,
    isChanged: JSON.stringify(value) !== JSON.stringify(saved),
    discard() {
      setValue(undefined);
      form.discard();
    },
    form,
  };
}
