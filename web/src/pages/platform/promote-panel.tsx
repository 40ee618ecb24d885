import type { Promotion } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { promotionRows } from './promotion-rows.ts';

/** What another version of a module means for a ring, before it gets it. */
export function PromotePanel() {
  const { alias } = useParams({ from: '/shell/platform/modules/$alias' });
  const { to = '', from = '' } = useSearch({ from: '/shell/platform/modules/$alias' });
  const navigate = useNavigate();
  const { data } = useApi(keys.platform.rings, (client) => client.rings.list());
  const choose = (search: { to: string; from: string }) =>
    void navigate({ to: '/platform/modules/$alias', params: { alias }, search, replace: true });
  const ring = (label: string, value: string, onChange: (name: string) => void) => (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {data?.rings.map(({ name, display_name, modules }) => (
            <option key={name} value={name}>
              {display_name} ({modules?.[alias] ?? 'none'})
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
  return (
    <DetailPanel title={`Promote ${alias}`} onClose={() => navigate({ to: '/platform/modules' })}>
      <Needs permission="platform.rings.manage">
        <div className="grid gap-4 sm:grid-cols-2">
          {ring('Take the version of', from, (name) => choose({ to, from: name }))}
          {ring('For the ring', to, (name) => choose({ to: name, from }))}
        </div>
        {from === to ? (
          <Notice>Choose two different rings.</Notice>
        ) : (
          <Difference key={`${from} ${to}`} alias={alias} from={from} to={to} />
        )}
      </Needs>
    </DetailPanel>
  );
}

interface DifferenceProps {
  readonly alias: string;
  readonly from: string;
  readonly to: string;
}

function Difference({ alias, from, to }: DifferenceProps) {
  const request = { name: to, alias, from };
  const { data, error } = useApi(keys.platform.promotion(request), (client) =>
    client.rings.promote({ ...request, dry_run: true }),
  );
  const [done, setDone] = useState<Promotion>();
  if (done) return <Promoted promotion={done} />;
  if (!data) {
    return error ? <Notice tone="warning">{errorMessage(error)}</Notice> : <Skeleton className="h-60 w-full" />;
  }
  return (
    <>
      <Changes promotion={data.promotion} />
      <PromoteForm promotion={data.promotion} from={from} onDone={setDone} />
    </>
  );
}

function Changes({ promotion }: { readonly promotion: Promotion }) {
  const rows = promotionRows(promotion);
  const { from_version, to_version, ring } = promotion;
  return (
    <Section title={`${from_version ?? 'None'} → ${to_version} on ${ring}`}>
      {promotion.refusals.length > 0 && (
        <Notice tone="error">
          <p>This would break:</p>
          <ul className="list-disc pl-5">
            {promotion.refusals.map((text) => (
              <li key={text} className="break-words">
                {text}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {rows.length === 0 ? (
        <p className="text-secondary">Nothing changes for clients and other modules.</p>
      ) : (
        <ul aria-label="What changes" className="grid gap-1.5 text-sm">
          {rows.map(({ key, change, text }) => (
            <li key={key} className="grid grid-cols-[5rem_1fr] gap-2">
              <span className="text-secondary">{change}</span>
              <span className="min-w-0 break-words">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface PromoteFormProps {
  readonly promotion: Promotion;
  readonly from: string;
  readonly onDone: (promotion: Promotion) => void;
}

function PromoteForm({ promotion: { alias, ring, to_version, refusals }, from, onDone }: PromoteFormProps) {
  const [isForced, setForced] = useState(false);
  const [reason, setReason] = useState('');
  const promote = useAction(
    (client) =>
      client.rings.promote({
        name: ring,
        alias,
        from,
        force: isForced,
        ...(reason.trim() && { reason: reason.trim() }),
      }),
    {
      affects: [keys.platform.rings, keys.platform.histories],
      done: () => `${alias} ${to_version} promoted to ${ring}.`,
    },
  );
  const isRefused = refusals.length > 0;
  return (
    <form
      className="grid gap-4 border-t border-line pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        promote.mutate(undefined, { onSuccess: ({ promotion }) => onDone(promotion) });
      }}
    >
      <Field label="Reason" help="Kept in the history">
        {(control) => (
          <Input {...control} value={reason} maxLength={500} onChange={({ target }) => setReason(target.value)} />
        )}
      </Field>
      {isRefused && (
        <Checkbox
          label="Promote although it breaks this"
          checked={isForced}
          onChange={({ target }) => setForced(target.checked)}
        />
      )}
      <div className="flex justify-end">
        <Button
          type="submit"
          variant={isRefused ? 'danger' : 'primary'}
          disabled={isRefused && !isForced}
          isBusy={promote.isPending}
        >
          Promote to {ring}
        </Button>
      </div>
    </form>
  );
}

/** The ring reads its lock file when it is reloaded. */
function Promoted({ promotion: { alias, ring, to_version, migrations } }: { readonly promotion: Promotion }) {
  const reload = useAction((client) => client.rings.reload({ name: ring }), {
    affects: [keys.platform.histories],
    done: () => `${ring} is being reloaded.`,
  });
  return (
    <Notice tone="success">
      <p>
        The lock file of {ring} has {alias} {to_version}. Its process uses it after it is reloaded.
      </p>
      {migrations.length > 0 && (
        <p className="mt-2">
          It has new migrations: run <code>RING_NAME={ring} chowkd migrate</code> first.
        </p>
      )}
      <Button className="mt-3" isBusy={reload.isPending} onClick={() => reload.mutate(undefined)}>
        Reload {ring}
      </Button>
    </Notice>
  );
}
