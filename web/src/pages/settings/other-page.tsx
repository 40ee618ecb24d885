import { SlidersHorizontal } from 'lucide-react';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Setting } from '../../ui/setting.tsx';
import { groupOthers } from './other-settings.ts';
import { SettingsForm } from './settings-form.tsx';
import { useSettings } from './use-settings.ts';

/** Settings of modules that have no page of their own. */
export function OtherSettingsPage() {
  const { values, definitions, error } = useSettings();
  if (!values) return <Loading error={error} className="h-96" />;
  const groups = groupOthers(definitions);
  if (groups.length === 0) {
    return (
      <EmptyState icon={SlidersHorizontal} title="No other settings">
        Modules that have settings of their own show them here.
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-8">
      {groups.map(({ title, settings }) => (
        <Setting key={title} title={title}>
          <SettingsForm settings={settings} />
        </Setting>
      ))}
    </div>
  );
}
