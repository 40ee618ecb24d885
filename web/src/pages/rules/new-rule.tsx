import { useNavigate, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { toast } from '../../ui/toast.tsx';
import { RuleForm } from './rule-form.tsx';
import { listSearch } from './rule-list.ts';
import { emptyTexts } from './rule-values.ts';
import { ruleName } from './rules-page.tsx';

const draft = 'rule.new';

export function NewRulePanel() {
  const search = listSearch(useSearch({ from: '/shell/rules' }));
  const navigate = useNavigate();
  const refetch = useRefetch();
  return (
    <DetailPanel title="New rule" onClose={() => void navigate({ to: '/rules', search })}>
      <RuleForm
        draft={draft}
        saved={emptyTexts}
        isNew
        onSave={async (input) => {
          const { rule } = await submit(draft, api().notifications.createRule, input);
          toast(`${ruleName(rule)} switched on.`);
          void refetch(keys.notifications.rules);
          await navigate({ to: '/rules/$id', params: { id: rule.id }, search });
        }}
      />
    </DetailPanel>
  );
}
