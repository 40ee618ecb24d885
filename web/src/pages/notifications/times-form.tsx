import type { NotificationPreferences } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx';
import { toast } from '../../ui/toast.tsx';

const hours = Array.from({ length: 24 }, (_, hour) => hour);
const usual = { from: '22:00', to: '07:00' };

interface Values {
  readonly is_quiet?: 'on';
  readonly 'quiet_hours.from'?: string;
  readonly 'quiet_hours.to'?: string;
  readonly digest_hour: string;
  readonly time_zone: string;
}

/** Quiet hours and the hour of the daily mail. */
export function TimesForm({ preferences }: { readonly preferences: NotificationPreferences }) {
  const { quiet_hours, time_zone, digest_hour } = preferences;
  const [isQuiet, setQuiet] = useState(quiet_hours !== null);
  const refetch = useRefetch();
  const { isBusy, problem, errors, field, props } = useForm<Values, 'quiet_hours'>(async (values) => {
    const { time_zone: zone, digest_hour: hour } = values;
    const { 'quiet_hours.from': from = '', 'quiet_hours.to': to = '' } = values;
    const { message } = await api().notifications.updatePreferences({
      quiet_hours: isQuiet ? { from, to } : null,
      digest_hour: Number(hour),
      ...(zone !== time_zone && { time_zone: zone }),
    });
    await refetch(keys.notifications.preferences);
    toast(message);
  });
  return (
    <Section
      title="When"
      lead="In quiet hours there are no push messages, and emails wait, except for critical notifications."
    >
      <form {...props} className="grid max-w-xl gap-4">
        {problem && <Notice tone="error">{problem}</Notice>}
        <Checkbox
          label="Quiet hours"
          checked={isQuiet}
          onChange={({ target }) => setQuiet(target.checked)}
          name={field('is_quiet').name}
        />
        {isQuiet && (
          <div className="grid grid-cols-2 gap-4">
            <Field label="From" {...field('quiet_hours.from')}>
              {(control) => <Input {...control} type="time" defaultValue={(quiet_hours ?? usual).from} required />}
            </Field>
            <Field label="To" {...field('quiet_hours.to')} error={errors['quiet_hours.to'] ?? errors.quiet_hours}>
              {(control) => <Input {...control} type="time" defaultValue={(quiet_hours ?? usual).to} required />}
            </Field>
          </div>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Daily email at" help="With everything that is still unread." {...field('digest_hour')}>
            {(control) => (
              <Select {...control} defaultValue={digest_hour}>
                {hours.map((hour) => (
                  <option key={hour} value={hour}>
                    {String(hour).padStart(2, '0')}:00
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Time zone" {...field('time_zone')}>
            {(control) => <TimeZoneSelect {...control} defaultValue={time_zone} />}
          </Field>
        </div>
        <Button type="submit" variant="primary" isBusy={isBusy} className="justify-self-start">
          Save times
        </Button>
      </form>
    </Section>
  );
}
