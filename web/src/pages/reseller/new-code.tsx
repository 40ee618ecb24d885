import { useNavigate, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { CodeFields, type CodeTexts, toCodeInput } from './code-fields.tsx';
import { listSearch } from './code-list.ts';

const draft = 'referral-code.new';

export function NewCodePanel() {
  const search = listSearch(useSearch({ from: '/shell/codes' }));
  const navigate = useNavigate();
  const refetch = useRefetch();
  const form = useForm<CodeTexts>(
    async ({ code, ...texts }) => {
      const input = { ...(code ? { code } : {}), ...toCodeInput(texts) };
      const { referral_code } = await submit(draft, api().referralCodes.create, input);
      toast(`Referral code ${referral_code.code} created.`);
      void refetch(keys.codes.lists);
      await navigate({ to: '/codes/$id', params: { id: referral_code.id }, search });
    },
    { draft },
  );
  return (
    <DetailPanel title="New referral code" onClose={() => void navigate({ to: '/codes', search })}>
      <form {...form.props} className="grid gap-4">
        {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
        {form.problem && <Notice tone="error">{form.problem}</Notice>}
        <Field label="Code" help="Letters, digits and hyphens. Empty: a random one" {...form.field('code')}>
          {(control) => <Input {...control} autoFocus autoComplete="off" placeholder="ASHA-2026" />}
        </Field>
        <CodeFields form={form} />
        <div className="flex justify-end border-t border-line pt-4">
          <Button type="submit" variant="primary" isBusy={form.isBusy}>
            Create referral code
          </Button>
        </div>
      </form>
    </DetailPanel>
  );
}
