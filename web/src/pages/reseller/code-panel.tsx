import type { ReferralCode } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { count } from '../../format/numbers.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { CodeFields, type CodeTexts, toCodeInput } from './code-fields.tsx';
import { applyLink, listSearch } from './code-list.ts';
import { codeState } from './code-state.ts';

export function CodePanel() {
  const { id } = useParams({ from: '/shell/codes/$id' });
  const search = listSearch(useSearch({ from: '/shell/codes' }));
  const navigate = useNavigate();
  const { data, error } = useApi(keys.codes.detail(id), (client) => client.referralCodes.get({ id }));
  const code = data?.referral_code;
  const close = () => navigate({ to: '/codes', search });
  return (
    <DetailPanel
      key={id}
      title={code?.code}
      error={code ? null : error}
      onClose={close}
      actions={code && <Actions code={code} onDeleted={close} />}
    >
      {code && (
        <>
          <Summary code={code} />
          <EditCode key={code.updated_at} code={code} />
        </>
      )}
    </DetailPanel>
  );
}

function Summary({ code }: { readonly code: ReferralCode }) {
  const { label, tone, isOpen } = codeState(code);
  const link = applyLink(code.code);
  return (
    <div className="-mt-4 grid gap-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusPill tone={tone}>{label}</StatusPill>
        <span className="text-secondary">
          {code.uses === 1 ? 'Used once' : `Used ${count(code.uses)} times`}
          {code.max_uses !== null && `, at most ${count(code.max_uses)}`}
        </span>
      </p>
      {isOpen && (
        <Section title="Link for businesses" actions={<CopyButton text={link} label="Copy link" />}>
          <code className="rounded-control bg-sunken px-3 py-2 text-sm break-all select-all">{link}</code>
        </Section>
      )}
    </div>
  );
}

function EditCode({ code }: { readonly code: ReferralCode }) {
  const refetch = useRefetch();
  const form = useForm<CodeTexts>(
    async (texts) => {
      await api().referralCodes.update({ id: code.id, ...toCodeInput(texts) });
      toast(`Referral code ${code.code} saved.`);
      await refetch(keys.codes.all);
    },
    { draft: `referral-code.${code.id}` },
  );
  return (
    <form {...form.props} className="grid gap-4 border-t border-line pt-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <CodeFields form={form} code={code} />
      <div className="flex items-center justify-between gap-4">
        <p className="text-xs text-faint">Applications that exist already keep their rules.</p>
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}

interface ActionsProps {
  readonly code: ReferralCode;
  readonly onDeleted: () => Promise<void>;
}

function Actions({ code, onDeleted }: ActionsProps) {
  const { id, expires_at } = code;
  const [isAsking, setAsking] = useState(false);
  const end = useAction((client, time: string | null) => client.referralCodes.update({ id, expires_at: time }), {
    affects: [keys.codes.all],
  });
  const endNow = () =>
    end.mutate(new Date().toISOString(), {
      onSuccess: () => toast(`Referral code ${code.code} ended.`, { label: 'Undo', run: () => end.mutate(expires_at) }),
    });
  const remove = useAction((client) => client.referralCodes.delete({ id }), {
    affects: [keys.codes.lists],
    done: () => `Referral code ${code.code} deleted.`,
    leave: onDeleted,
  });
  return (
    <>
      {codeState(code).isOpen && (
        <Button isBusy={end.isPending} onClick={endNow}>
          End now
        </Button>
      )}
      {code.uses === 0 && (
        <Menu
          trigger={
            <IconButton label="More actions">
              <Icon icon={Ellipsis} />
            </IconButton>
          }
        >
          <MenuItem icon={Trash2} onSelect={() => setAsking(true)}>
            Delete
          </MenuItem>
        </Menu>
      )}
      <ConfirmDialog
        title="Delete this referral code?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete referral code"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        No business can apply with <strong className="font-semibold text-text">{code.code}</strong> any more. This
        cannot be undone.
      </ConfirmDialog>
    </>
  );
}
