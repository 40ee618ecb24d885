import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from './qr-code.tsx';

interface AuthenticatorSetupProps {
  readonly secret: string;
  readonly uri: string;
  readonly onCancel: () => void;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => Promise<void>;
}

interface Values {
  readonly otp: string;
}

export function AuthenticatorSetup({ secret, uri, onCancel, onConfirmed }: AuthenticatorSetupProps) {
  const { isBusy, problem, field, props } = useForm<Values>(async ({ otp }) => {
    const { recovery_codes } = await api().twoFactor.confirm({ otp: otp.replace(/\s/g, '') });
    await onConfirmed(recovery_codes);
  });
  return (
    <form {...props} className="grid gap-5">
      {problem && <Notice tone="error">{problem}</Notice>}
      <div className="grid justify-items-start gap-5 sm:grid-cols-[auto_minmax(0,1fr)]">
        <QrCode text={uri} label="QR code for an authenticator app" />
        <div className="grid content-start gap-3">
          <p className="text-secondary">Scan the picture with your app. Without a camera, enter the secret:</p>
          <code className="rounded-control bg-sunken px-3 py-2 text-sm wrap-anywhere">
            {secret.replace(/(.{4})(?=.)/g, '$1 ')}
          </code>
          <div>
            <CopyButton text={secret} label="Copy the secret" />
          </div>
          <a
            href={uri}
            className="flex min-h-11 items-center justify-self-start text-accent underline underline-offset-4 md:hidden"
          >
            Open in an app on this device
          </a>
        </div>
      </div>
      <Field label="Code" help="The six digits that the app shows now." {...field('otp')}>
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            autoComplete="one-time-code"
            className="numeric max-w-40 tracking-widest"
            autoFocus
            required
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Turn on
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
