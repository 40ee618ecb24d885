import { X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useCan } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { today } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type SettingValues, useSaveSettings } from './use-settings.ts';

const key = 'conversations.holidays';
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' });
const dateName = (date: string) => format.format(new Date(date));

/** Saved one by one. */
export function HolidaysSetting({ values }: { readonly values: SettingValues }) {
  const canEdit = useCan()('settings.edit');
  const save = useSaveSettings(`settings.${key}`);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const holidays = [...((values[key] ?? []) as readonly string[])].sort();
  // One after the other: each change has all days.
  const change = async (next: readonly string[]): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    try {
      await save({ [key]: next }, values);
      setError(undefined);
      return true;
    } catch (failure) {
      setError(errorMessage(failure));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem('date') as HTMLInputElement;
    const date = input.value;
    if (date === '') return setError('Choose a date.');
    const isSaved = holidays.includes(date) || (await change([...holidays, date].sort()));
    // The next date may have been entered while this one was saved.
    if (isSaved && input.value === date) input.value = '';
  };
  return (
    <>
      {holidays.length === 0 ? (
        <p className="flex min-h-9 items-center text-secondary">None</p>
      ) : (
        <ul aria-label="Holidays" className="border-t border-line">
          {holidays.map((date) => (
            <li key={date} className="flex min-h-9 items-center justify-between border-b border-line max-md:min-h-11">
              <span className={date < today() ? 'text-faint' : ''}>{dateName(date)}</span>
              {canEdit && (
                <button
                  type="button"
                  disabled={isBusy}
                  aria-label={`Remove ${dateName(date)}`}
                  onClick={() => void change(holidays.filter((one) => one !== date))}
                  className="grid size-9 place-items-center rounded-control text-secondary hover:text-text max-md:size-11"
                >
                  <Icon icon={X} size={14} />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {canEdit && (
        <form onSubmit={(event) => void add(event)} noValidate aria-label="Add a holiday">
          <Field label="Add a holiday" name="date" error={error}>
            {(control) => (
              <div className="flex max-w-80 gap-2">
                <Input {...control} type="date" onInput={() => setError(undefined)} className="numeric" />
                <Button type="submit" isBusy={isBusy}>
                  Add
                </Button>
              </div>
            )}
          </Field>
        </form>
      )}
    </>
  );
}
