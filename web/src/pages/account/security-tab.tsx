import type { Profile } from '@chowk/client';
import { PasswordSetting } from './password-setting.tsx';
import { TwoFactorSetting } from './two-factor-setting.tsx';

export function SecurityTab({ profile }: { readonly profile: Profile }) {
  return (
    <div className="grid gap-8">
      <PasswordSetting profile={profile} />
      <TwoFactorSetting profile={profile} />
    </div>
  );
}
