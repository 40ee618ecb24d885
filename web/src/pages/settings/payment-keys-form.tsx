import { type PaymentKeyCheck, type PaymentProviderAccount, paymentsLimits } from '@chowk/client';
import { affectedBySettings } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { type Form, useForm } from '../../form/use-form.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { providerName } from '../../payments/provider-name.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { Copied, Step } from './set-up-step.tsx';

interface Values {
  readonly key_id?: string;
  readonly secret_key: string;
  readonly webhook_secret: string;
}

interface PaymentKeysFormProps {
  readonly account: PaymentProviderAccount;
  /** No provider is used yet. */
  readonly isFirst: boolean;
  /** After the keys are saved. */
  readonly onChecked: (check: PaymentKeyCheck) => void;
  readonly onClose: () => void;
}

/** Three steps. What is typed is not kept by the browser, and never shown again. */
export function PaymentKeysForm({ account, isFirst, onChecked, onClose }: PaymentKeysFormProps) {
  const { provider, is_configured, callback_url, callback_events } = account;
  const name = providerName(provider);
  const canChoose = useCan()('settings.edit') && isFirst;
  const refetch = useRefetch();
  const form = useForm<Values>(async (values) => {
    await api().payments.saveProvider({ provider, ...filled(values) });
    if (canChoose) await api().settings.update({ 'payments.provider': provider });
    const check = await api().payments.testProvider({ provider });
    toast(check.works ? `Keys saved. ${name} accepts them.` : 'Keys saved.');
    await refetch(keys.payments.providers, ...affectedBySettings);
    onChecked(check);
  });
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  const steps = texts[provider];
  return (
    <form {...form.props} aria-label={`Keys of ${name}`} className="grid gap-5">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <ol className="grid gap-6">
        <Step number={1} title={steps.keys}>
          <KeyFields provider={provider} isSaved={is_configured} form={form} />
        </Step>
        <Step number={2} title={steps.webhook}>
          <Copied label="Address" text={callback_url} />
          <Copied label="Events" text={callback_events.join('\n')} />
        </Step>
        <Step number={3} title={steps.secret}>
          <SecretField
            label={provider === 'stripe' ? 'Signing secret' : 'Webhook secret'}
            isSaved={is_configured}
            {...form.field('webhook_secret')}
          />
        </Step>
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save keys
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const texts = {
  stripe: {
    keys: 'In the dashboard of Stripe, open Developers → API keys and copy the secret key.',
    webhook: 'Open Developers → Webhooks → Add endpoint. Paste this address and select these events.',
    secret: 'Copy the signing secret of that endpoint.',
  },
  razorpay: {
    keys: 'In the dashboard of Razorpay, open Account & Settings → API keys and copy both parts of the key.',
    webhook: 'Open Account & Settings → Webhooks → Add new webhook. Paste this address and select these events.',
    secret: 'Make up a long secret, and enter the same one there and here.',
  },
};

interface KeyFieldsProps {
  readonly provider: PaymentProviderAccount['provider'];
  readonly isSaved: boolean;
  readonly form: Pick<Form<Values>, 'field'>;
}

function KeyFields({ provider, isSaved, form }: KeyFieldsProps) {
  if (provider === 'stripe') {
    return <SecretField label="Secret key" hint="sk_live_…" isSaved={isSaved} {...form.field('secret_key')} />;
  }
  return (
    <>
      <Field label="Key id" help={isSaved ? 'Leave it empty to keep it.' : undefined} {...form.field('key_id')}>
        {(control) => (
          <Input
            {...control}
            placeholder="rzp_live_…"
            maxLength={paymentsLimits.saveProvider.key_id}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <SecretField label="Key secret" isSaved={isSaved} {...form.field('secret_key')} />
    </>
  );
}

interface SecretFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly isSaved: boolean;
  readonly name: 'secret_key' | 'webhook_secret';
  readonly error: string | undefined;
}

function SecretField({ label, hint, isSaved, name, error }: SecretFieldProps) {
  const help = isSaved ? 'Saved, and not shown again. Leave it empty to keep it.' : 'It is not shown again.';
  return (
    <Field label={label} help={help} name={name} error={error}>
      {(control) => (
        <Input
          {...control}
          type="password"
          placeholder={isSaved ? '••••••••' : hint}
          maxLength={paymentsLimits.saveProvider[name]}
          autoComplete="new-password"
          spellCheck={false}
        />
      )}
    </Field>
  );
}

/** What is empty does not change. */
function filled(values: Values): Partial<Values> {
  const entries = Object.entries(values).map(([name, text]) => [name, text.trim()] as const);
  return Object.fromEntries(entries.filter(([, text]) => text !== ''));
}
