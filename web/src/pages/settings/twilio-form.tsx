import { type MessageProviders, notificationsLimits } from '@chowk/client';
import { affectedByChannels } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { Copied, Step } from './set-up-step.tsx';

interface Values {
  readonly account_sid: string;
  readonly auth_token: string;
  readonly sms_from: string;
  readonly whatsapp_from: string;
}

interface TwilioFormProps {
  readonly providers: MessageProviders;
  readonly onClose: () => void;
}

const limits = notificationsLimits.saveTwilio;

/** The auth token is not kept by the browser, and never shown again. */
export function TwilioForm({ providers, onClose }: TwilioFormProps) {
  const { twilio, twilio_callback_url, channels } = providers;
  const canChoose = useCan()('settings.edit');
  const refetch = useRefetch();
  const form = useForm<Values>(async (values) => {
    const text = (name: keyof Values) => values[name].trim();
    const senders = { sms: text('sms_from') || null, whatsapp: text('whatsapp_from') || null };
    await api().notifications.saveTwilio({
      account_sid: text('account_sid'),
      sms_from: senders.sms,
      whatsapp_from: senders.whatsapp,
      ...(text('auth_token') !== '' && { auth_token: text('auth_token') }),
    });
    // The channel had no listener before.
    const served = channels.filter(
      ({ channel, provider }) => provider === 'log' && channel !== 'email' && senders[channel] !== null,
    );
    if (canChoose && served.length > 0) {
      const settings = served.map(({ channel }) => [`notifications.${channel}_provider`, 'twilio']);
      await api().settings.update(Object.fromEntries(settings));
    }
    toast('Twilio account saved. Send yourself a test.');
    await refetch(...affectedByChannels);
    onClose();
  });
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  return (
    <form {...form.props} aria-label="Account at Twilio" className="grid gap-5">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <ol className="grid gap-6">
        <Step number={1} title="In the console of Twilio, open Account → API keys & tokens and copy both.">
          <Field label="Account SID" {...form.field('account_sid')}>
            {(control) => (
              <Input
                {...control}
                defaultValue={twilio?.account_sid}
                placeholder="AC…"
                maxLength={limits.account_sid}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
          <Field
            label="Auth token"
            help={twilio ? 'Saved, and not shown again. Leave it empty to keep it.' : 'It is not shown again.'}
            {...form.field('auth_token')}
          >
            {(control) => (
              <Input
                {...control}
                type="password"
                placeholder={twilio ? '••••••••' : ''}
                maxLength={limits.auth_token}
                autoComplete="new-password"
                spellCheck={false}
              />
            )}
          </Field>
        </Step>
        <Step number={2} title="Enter what you send from: a number of the account, or the id of a messaging service.">
          <div className="grid gap-3 sm:grid-cols-2">
            <SenderField label="SMS from" value={twilio?.sms_from} {...form.field('sms_from')} />
            <SenderField label="WhatsApp from" value={twilio?.whatsapp_from} {...form.field('whatsapp_from')} />
          </div>
        </Step>
        <Step
          number={3}
          title="So that answers come in: open each number, WhatsApp sender and messaging service at Twilio, and enter this address for incoming messages (HTTP POST)."
        >
          <Copied label="Address" text={twilio_callback_url} />
        </Step>
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save account
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

interface SenderFieldProps {
  readonly label: string;
  readonly value: string | null | undefined;
  readonly name: 'sms_from' | 'whatsapp_from';
  readonly error: string | undefined;
}

function SenderField({ label, value, name, error }: SenderFieldProps) {
  return (
    <Field label={label} help="+14155552671 or MG…" name={name} error={error}>
      {(control) => (
        <Input
          {...control}
          defaultValue={value ?? ''}
          maxLength={limits[name]}
          className="numeric"
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Field>
  );
}
