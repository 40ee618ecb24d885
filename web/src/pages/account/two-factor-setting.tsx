import type { Profile } from '@chowk/client';
import { useState } from 'react';
import { affectedByProfile } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Setting } from '../../ui/setting.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { AuthenticatorSetup } from './authenticator-setup.tsx';
import { ConfirmForm } from './confirm-form.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Step =
  | { readonly name: 'begin' | 'renew' | 'disable' }
  | { readonly name: 'set-up'; readonly secret: string; readonly uri: string }
  | { readonly name: 'codes'; readonly codes: readonly string[] };

export function TwoFactorSetting({ profile: { two_factor_enabled } }: { readonly profile: Profile }) {
  const refetch = useRefetch();
  const [step, setStep] = useState<Step>();
  const button = useReturnFocus(step !== undefined);
  const close = () => setStep(undefined);
  async function showCodes(codes: readonly string[]): Promise<void> {
    setStep({ name: 'codes', codes });
    await refetch(...affectedByProfile);
  }
  return (
    <Setting
      title="Two-factor authentication"
      lead="Signing in then also needs a code from an app on your phone. Nobody can sign in with your password alone."
    >
      <div>
        <StatusPill tone={two_factor_enabled ? 'success' : 'neutral'}>{two_factor_enabled ? 'On' : 'Off'}</StatusPill>
      </div>
      {step === undefined ? (
        <div className="flex flex-wrap gap-2">
          {two_factor_enabled ? (
            <>
              <Button ref={button} onClick={() => setStep({ name: 'renew' })}>
                New recovery codes
              </Button>
              <Button onClick={() => setStep({ name: 'disable' })}>Turn off</Button>
            </>
          ) : (
            <Button ref={button} variant="primary" onClick={() => setStep({ name: 'begin' })}>
              Turn on
            </Button>
          )}
        </div>
      ) : step.name === 'begin' ? (
        <ConfirmForm
          question="Have an authenticator app at hand, such as Google Authenticator, Aegis or 1Password."
          label="Continue"
          onCancel={close}
          send={async (confirmation) => {
            const { secret, otpauth_uri } = await api().twoFactor.begin(confirmation);
            setStep({ name: 'set-up', secret, uri: otpauth_uri });
          }}
        />
      ) : step.name === 'set-up' ? (
        <AuthenticatorSetup secret={step.secret} uri={step.uri} onCancel={close} onConfirmed={showCodes} />
      ) : step.name === 'codes' ? (
        <RecoveryCodes codes={step.codes} onDone={close} />
      ) : step.name === 'renew' ? (
        <ConfirmForm
          question="Ten new codes replace the old ones, which stop working."
          label="Create new codes"
          onCancel={close}
          send={async (confirmation) =>
            showCodes((await api().twoFactor.renewRecoveryCodes(confirmation)).recovery_codes)
          }
        />
      ) : (
        <ConfirmForm
          question="Signing in will need your password only. The secret of your app and all recovery codes are deleted."
          label="Turn off"
          variant="danger"
          isPasswordNeeded
          onCancel={close}
          send={async (confirmation) => {
            const { message } = await api().twoFactor.disable(confirmation);
            toast(message);
            close();
            await refetch(...affectedByProfile);
          }}
        />
      )}
    </Setting>
  );
}
