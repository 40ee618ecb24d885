import { useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { methodName, methodNamed } from '../../format/payment-method.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { type SettingValues, useSaveSettings, useSettings } from './use-settings.ts';

const key = 'orders.payment_methods';
const draft = `settings.${key}`;

/** One in a line. */
export function PaymentMethodsForm() {
  const { values, error } = useSettings();
  if (!values) return <Loading error={error} className="h-40" />;
  return <MethodsForm key={JSON.stringify(values[key])} values={values} />;
}

function MethodsForm({ values }: { readonly values: SettingValues }) {
  const canEdit = useCan()('settings.edit');
  const save = useSaveSettings(draft);
  const methods = (values[key] ?? []) as readonly string[];
  const form = useForm<{ readonly [key]: string }>(
    async ({ [key]: text }) => {
      const typed = text.split('\n').map(methodNamed).filter(Boolean);
      const next = [...new Set(typed)];
      if (JSON.stringify(next) !== JSON.stringify(methods)) await save({ [key]: next }, values);
    },
    { draft },
  );
  return (
    <form {...form.props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Payment methods" help="One per line, the most usual first." {...form.field(key)}>
        {(control) => (
          <TextArea
            {...control}
            rows={Math.min(10, Math.max(4, methods.length + 1))}
            defaultValue={methods.map(methodName).join('\n')}
            disabled={!canEdit}
            className="max-w-80"
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
