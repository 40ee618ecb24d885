import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Select, TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { AssignmentRulesForm } from './assignment-rules-form.tsx';
import { HolidaysSetting } from './holidays-setting.tsx';
import { MemberAvailability } from './member-availability.tsx';
import { OpeningHoursForm } from './opening-hours-form.tsx';
import { type Controls, SettingsForm } from './settings-form.tsx';
import { useSettings } from './use-settings.ts';

/** When the team answers, and who. */
export function InboxPage() {
  const { values, error } = useSettings();
  const canView = useCan()('conversations.view');
  const agents = useApi(keys.conversations.agents, (client) => client.conversations.listAgents(), canView);
  if (!values || (canView && agents.isPending)) return <Loading error={error} className="h-[48rem]" />;
  const members = agents.data?.agents ?? [];
  return (
    <div className="grid gap-8">
      <Setting
        title="Opening hours"
        lead={
          <>
            In the time zone of your organization,{' '}
            <Link
              to="/settings/$page"
              params={{ page: 'general' }}
              className="text-accent underline underline-offset-4 hover:text-accent-strong"
            >
              {String(values['general.timezone'])}
            </Link>
            .
          </>
        }
      >
        <OpeningHoursForm values={values} />
      </Setting>
      <Setting title="Holidays" lead="Days without opening hours.">
        <HolidaysSetting values={values} />
      </Setting>
      <Setting title="Automatic answer" lead="The customer still counts as waiting.">
        <SettingsForm settings={['conversations.closed_answer']} controls={controls} />
      </Setting>
      <Setting title="Assignment" lead="Who gets an unassigned conversation when a message comes in.">
        <SettingsForm settings={['conversations.assignment']} controls={controls} />
      </Setting>
      <Setting title="Rules" lead="They come first, whether or not conversations are assigned in turn.">
        <AssignmentRulesForm values={values} agents={members} />
      </Setting>
      {canView && (
        <Setting title="Members" lead="Who is away gets no conversations automatically.">
          {agents.error ? <Loading error={agents.error} className="h-10" /> : <MemberAvailability agents={members} />}
        </Setting>
      )}
    </div>
  );
}

const controls: Controls = {
  'conversations.closed_answer': (control, value) => (
    <TextArea
      {...control}
      rows={4}
      defaultValue={value}
      maxLength={5_000}
      placeholder="Thank you for your message. We are back at nine."
    />
  ),
  'conversations.assignment': (control, value) => (
    <div className="max-w-80">
      <Select {...control} defaultValue={value}>
        <option value="off">No one, until a member takes it</option>
        <option value="round_robin">In turn, the members who are available</option>
      </Select>
    </div>
  ),
};
