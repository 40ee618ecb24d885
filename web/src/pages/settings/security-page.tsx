import { Link } from '@tanstack/react-router';
import { useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { useMembers } from '../../people/members.ts';
import { Select } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { type Controls, SettingsForm } from './settings-form.tsx';

const link = 'text-accent underline underline-offset-4 hover:text-accent-strong';

export function SecurityPage() {
  const can = useCan();
  return (
    <div className="grid gap-8">
      {can('team.view') && (
        <Setting
          title="Two-factor authentication"
          lead="A code of an app besides the password. Each member switches it on."
        >
          <TwoFactorUse />
        </Setting>
      )}
      {can('settings.security') && (
        <Setting title="Members without a verified address" lead="Until they open the link that was mailed to them.">
          <SettingsForm settings={['security.unverified_users']} controls={controls} />
        </Setting>
      )}
      <Setting title="Sessions" lead="Where you are signed in, and tokens that act as you.">
        <p className="flex flex-wrap gap-x-4 gap-y-1">
          <Link to="/profile" search={{ tab: 'sessions' }} className={link}>
            Your sessions
          </Link>
          <Link to="/profile" search={{ tab: 'tokens' }} className={link}>
            Your tokens
          </Link>
          {can('activity.view') && (
            <Link to="/activity/accounts" className={link}>
              Sign-ins of the team
            </Link>
          )}
        </p>
      </Setting>
      <Setting title="Log of changes" lead="Who did what, as the page Activity shows it.">
        <SettingsForm settings={['audit.retention_days']} />
      </Setting>
      <Setting title="Events" lead="What programs read to stay in sync.">
        <SettingsForm settings={['events.retention_days']} />
      </Setting>
    </div>
  );
}

const accesses = [
  ['full', 'All that their role allows'],
  ['view', 'Only view'],
  ['none', 'Nothing'],
] as const;

const controls: Controls = {
  'security.unverified_users': (control, value) => (
    <Select {...control} defaultValue={value}>
      {accesses.map(([access, label]) => (
        <option key={access} value={access}>
          {label}
        </option>
      ))}
    </Select>
  ),
};

/** More names would be a list of their own. */
const mostNames = 50;

/** Who uses it, and who does not yet. */
function TwoFactorUse() {
  const { data, error } = useMembers();
  if (!data) return <Loading error={error} className="h-16" />;
  const missing = data.filter(({ two_factor_enabled }) => !two_factor_enabled);
  if (missing.length === 0) return <p>All members use it.</p>;
  return (
    <div className="grid gap-2">
      <p>
        {count(data.length - missing.length)} of {count(data.length)} members use it. These do not yet:
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {missing.slice(0, mostNames).map(({ id, name }) => (
          <li key={id}>
            <Link to="/team/$id" params={{ id: String(id) }} className={link}>
              {name}
            </Link>
          </li>
        ))}
        {missing.length > mostNames && <li>and {count(missing.length - mostNames)} more</li>}
      </ul>
    </div>
  );
}
