import type { ReferralCode } from '@chowk/client';
import type { Form } from '../../form/use-form.ts';
import { localTime, parseLocalTime } from '../../time/times.ts';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { roles } from './code-list.ts';

export interface CodeTexts {
  readonly code?: string;
  readonly tenant_role: ReferralCode['tenant_role'];
  readonly kyc_required?: string;
  readonly auto_approve?: string;
  readonly expires_at: string;
  readonly max_uses: string;
}

/** What the platform gets for the texts of the form. */
export function toCodeInput({ tenant_role, kyc_required, auto_approve, expires_at, max_uses }: CodeTexts) {
  return {
    tenant_role,
    kyc_required: kyc_required !== undefined,
    auto_approve: auto_approve !== undefined,
    expires_at: expires_at === '' ? null : parseLocalTime(expires_at),
    max_uses: max_uses === '' ? null : Number(max_uses),
  };
}

interface CodeFieldsProps {
  readonly form: Form<CodeTexts>;
  readonly code?: ReferralCode;
}

export function CodeFields({ form, code }: CodeFieldsProps) {
  return (
    <>
      <Field label="Opens" {...form.field('tenant_role')}>
        {(control) => (
          <Select {...control} defaultValue={code?.tenant_role ?? 'merchant'}>
            {Object.entries(roles).map(([role, label]) => (
              <option key={role} value={role}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <fieldset className="grid">
        <legend className="text-sm font-medium">Review</legend>
        <Checkbox name="kyc_required" label="Ask for identity documents" defaultChecked={code?.kyc_required ?? true} />
        <Checkbox
          name="auto_approve"
          label="Approve without asking you, once documents are accepted"
          defaultChecked={code?.auto_approve ?? false}
        />
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Ends" help="Empty: never" {...form.field('expires_at')}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              defaultValue={code?.expires_at ? localTime(code.expires_at) : ''}
            />
          )}
        </Field>
        <Field label="Most uses" help="Empty: any number" {...form.field('max_uses')}>
          {(control) => <Input {...control} type="number" min={1} defaultValue={code?.max_uses ?? ''} />}
        </Field>
      </div>
    </>
  );
}
