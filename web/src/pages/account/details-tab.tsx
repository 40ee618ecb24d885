import type { Profile } from '@chowk/client';
import { affectedByProfile } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { Setting } from '../../ui/setting.tsx';
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx';
import { toast } from '../../ui/toast.tsx';
import { EmailSetting } from './email-setting.tsx';

export function DetailsTab({ profile }: { readonly profile: Profile }) {
  return (
    <div className="grid gap-8">
      <Setting title="You" lead="How others in your organizations see you.">
        <DetailsForm profile={profile} />
      </Setting>
      <EmailSetting profile={profile} />
    </div>
  );
}

interface Values {
  readonly name: string;
  readonly timezone: string;
}

function DetailsForm({ profile: { id, name, timezone } }: { readonly profile: Profile }) {
  const refetch = useRefetch();
  const { isBusy, problem, field, isRestored, discard, props } = useForm<Values>(
    async (values) => {
      const zone = values.timezone || null;
      const { message } = await api().profile.update({
        ...(values.name !== name && { name: values.name }),
        ...(zone !== timezone && { timezone: zone }),
      });
      toast(message);
      await refetch(...affectedByProfile);
    },
    { draft: `profile.${id}` },
  );
  return (
    <form {...props} className="grid gap-4">
      {isRestored && <RestoredNotice onDiscard={discard} />}
      {problem && <Notice tone="error">{problem}</Notice>}
      <Field label="Name" {...field('name')}>
        {(control) => <Input {...control} defaultValue={name} autoComplete="name" required />}
      </Field>
      <Field label="Time zone" help="For your quiet hours and digests." {...field('timezone')}>
        {(control) => (
          <TimeZoneSelect {...control} defaultValue={timezone ?? ''}>
            <option value="">Time zone of the organization</option>
          </TimeZoneSelect>
        )}
      </Field>
      <Button type="submit" variant="primary" isBusy={isBusy} className="justify-self-start max-sm:w-full">
        Save
      </Button>
    </form>
  );
}
