import { type Organization, organizationLimits } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { countries, currencyOptions } from '../../address/region.ts';
import { affectedBySettings } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { clearDraft } from '../../form/draft.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { Setting } from '../../ui/setting.tsx';
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Controls, SettingsForm } from './settings-form.tsx';

const region = ['general.country', 'general.currency', 'general.timezone', 'general.locale'];

export function GeneralPage() {
  const { data, error } = useApi(keys.settings.organization, (client) => client.organization.get());
  return (
    <div className="grid gap-8">
      <Setting title="Organization" lead="As your team and your customers see it.">
        {data ? (
          <NameForm key={data.organization.name} organization={data.organization} />
        ) : (
          <Loading error={error} className="h-28" />
        )}
      </Setting>
      <Setting title="On documents" lead="Your logo, address and tax number.">
        <Link
          to="/settings/$page"
          params={{ page: 'invoices' }}
          className="justify-self-start text-accent underline underline-offset-4 hover:text-accent-strong"
        >
          Change them where the invoice shows them
        </Link>
      </Setting>
      <Setting title="Region" lead="Orders that exist keep their currency.">
        <SettingsForm settings={region} controls={controls} />
      </Setting>
    </div>
  );
}

const controls: Controls = {
  'general.country': (control, value) => (
    <Select {...control} defaultValue={value}>
      {countries.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  ),
  'general.currency': (control, value) => (
    <Select {...control} defaultValue={value}>
      {currencyOptions.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </Select>
  ),
  'general.timezone': (control, value) => <TimeZoneSelect {...control} defaultValue={value} />,
};

const draft = 'organization';

function NameForm({ organization: { name, domain } }: { readonly organization: Organization }) {
  const canEdit = useCan()('settings.edit');
  const refetch = useRefetch();
  const form = useForm<{ readonly name: string }>(
    async (values) => {
      if (values.name === name) return;
      const { message } = await api().organization.update({ name: values.name });
      clearDraft(draft);
      toast(message);
      await refetch(...affectedBySettings);
    },
    { draft },
  );
  return (
    <form {...form.props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Name" help={`Its address, ${domain}, stays as it is.`} {...form.field('name')}>
        {(control) => (
          <Input
            {...control}
            defaultValue={name}
            maxLength={organizationLimits.update.name}
            autoComplete="organization"
            disabled={!canEdit}
          />
        )}
      </Field>
      {canEdit && (
        <Button type="submit" variant="primary" isBusy={form.isBusy} className="justify-self-start max-sm:w-full">
          Save
        </Button>
      )}
    </form>
  );
}
