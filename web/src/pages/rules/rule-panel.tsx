import type { NotificationRule } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Ellipsis, Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { useMemberName } from '../../people/member-name.ts';
import { api } from '../../session/session.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { TabBar, tabStyle } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast.tsx';
import { RuleDeliveries } from './rule-deliveries.tsx';
import { RuleForm } from './rule-form.tsx';
import { channels, listSearch } from './rule-list.ts';
import { RuleTest } from './rule-test.tsx';
import { readTexts } from './rule-values.ts';
import { ruleName } from './rules-page.tsx';

const affects = [keys.notifications.rules, keys.notifications.presets];

export function RulePanel() {
  const { id } = useParams({ from: '/shell/rules/$id' });
  const { tab } = useSearch({ from: '/shell/rules/$id' });
  const search = listSearch(useSearch({ from: '/shell/rules' }));
  const navigate = useNavigate();
  const { data, error } = useApi(keys.notifications.rule(id), (client) => client.notifications.getRule({ id }));
  const rule = data?.rule;
  const close = () => navigate({ to: '/rules', search });
  const current = tab === 'deliveries' ? 'deliveries' : 'rule';
  return (
    <DetailPanel
      key={id}
      title={rule && ruleName(rule)}
      error={rule ? null : error}
      onClose={close}
      actions={rule && <Actions rule={rule} onDeleted={close} />}
      hasIconActions
    >
      {rule && (
        <>
          <Summary rule={rule} />
          <TabBar label="About the rule" className="-mx-2.5">
            {(['rule', 'deliveries'] as const).map((key) => (
              <Link
                key={key}
                to="."
                search={(before) => ({ ...before, tab: key, status: undefined })}
                replace
                aria-current={key === current ? 'page' : undefined}
                className={tabStyle}
              >
                {key === 'rule' ? 'Rule' : 'Deliveries'}
              </Link>
            ))}
          </TabBar>
          {current === 'deliveries' ? <RuleDeliveries id={id} /> : <EditRule rule={rule} />}
        </>
      )}
    </DetailPanel>
  );
}

function Summary({ rule: { is_active, channel, purpose } }: { readonly rule: NotificationRule }) {
  return (
    <p className="-mt-4 flex flex-wrap items-center gap-x-3 gap-y-1">
      {is_active ? <StatusPill tone="success">On</StatusPill> : <StatusPill>Off</StatusPill>}
      <span className="text-secondary">{channels[channel].label}</span>
      {purpose === 'marketing' && <span className="text-secondary">Marketing</span>}
    </p>
  );
}

function EditRule({ rule }: { readonly rule: NotificationRule }) {
  const { id, saved_by, updated_at, created_at } = rule;
  const refetch = useRefetch();
  const author = useMemberName()(saved_by);
  return (
    <>
      <RuleForm
        key={updated_at}
        draft={`rule.${id}`}
        saved={readTexts(rule)}
        onSave={async (input) => {
          await api().notifications.updateRule({ id, ...input });
          toast('Rule saved.');
          await refetch(...affects);
        }}
      />
      <RuleTest rule={rule} />
      <p className="text-xs text-faint">
        Created <RelativeTime time={created_at} />, saved {author !== undefined && `by ${author} `}
        <RelativeTime time={updated_at} />. It can send what the person who saved it last may see.
      </p>
    </>
  );
}

interface ActionsProps {
  readonly rule: NotificationRule;
  readonly onDeleted: () => Promise<void>;
}

function Actions({ rule, onDeleted }: ActionsProps) {
  const { id, is_active } = rule;
  const name = ruleName(rule);
  const [isAsking, setAsking] = useState(false);
  const turn = useAction((client, isOn: boolean) => client.notifications.updateRule({ id, is_active: isOn }), {
    affects,
  });
  const remove = useAction((client) => client.notifications.deleteRule({ id }), {
    affects,
    done: () => `${name} deleted.`,
    leave: onDeleted,
  });
  const change = (isOn: boolean) =>
    turn.mutate(isOn, {
      onSuccess: () =>
        toast(`${name} switched ${isOn ? 'on' : 'off'}.`, { label: 'Undo', run: () => turn.mutate(!isOn) }),
    });
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More actions">
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        <MenuItem icon={Zap} onSelect={() => change(!is_active)}>
          {is_active ? 'Switch off' : 'Switch on'}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} onSelect={() => setAsking(true)}>
          Delete
        </MenuItem>
      </Menu>
      <ConfirmDialog
        title="Delete this rule?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete rule"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        <strong className="font-semibold text-text">{name}</strong> sends nothing any more, and its list of deliveries
        is deleted. Messages that wait to be sent are not sent. This cannot be undone; to stop it for a while, switch it
        off instead.
      </ConfirmDialog>
    </>
  );
}
