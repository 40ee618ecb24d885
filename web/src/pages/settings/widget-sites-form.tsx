import { useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { type SettingValues, useSaveSettings, useSettings } from './use-settings.ts';
import { readSites } from './widget-sites.ts';

const key = 'widget.allowed_origins';
const draft = `settings.${key}`;

/** One in a line. */
export function WidgetSitesForm() {
  const { values, error } = useSettings();
  if (!values) return <Loading error={error} className="h-40" />;
  return <SitesForm key={JSON.stringify(values[key])} values={values} />;
}

function SitesForm({ values }: { readonly values: SettingValues }) {
  const canEdit = useCan()('settings.edit');
  const save = useSaveSettings(draft);
  const sites = (values[key] ?? []) as readonly string[];
  const form = useForm<{ readonly [key]: string }>(
    async ({ [key]: text }) => {
      const next = readSites(text);
      if (JSON.stringify(next) !== JSON.stringify(sites)) await save({ [key]: next }, values);
    },
    { draft },
  );
  return (
    <form {...form.props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Sites" help="One per line, such as https://shop.example.com." {...form.field(key)}>
        {(control) => (
          <TextArea
            {...control}
            rows={Math.min(10, Math.max(3, sites.length + 1))}
            defaultValue={sites.join('\n')}
            disabled={!canEdit}
            spellCheck={false}
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
