import type { DescribedSetting } from '@chowk/client';
import { affectedBySettings } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { clearDraft } from '../../form/draft.ts';
import { errorMessage } from '../../format/error-message.ts';
import { api } from '../../session/session.ts';
import { toast } from '../../ui/toast.tsx';

export type SettingValues = Readonly<Record<string, unknown>>;

interface Settings {
  /** `undefined` until they are read. */
  readonly values: SettingValues | undefined;
  readonly definitions: readonly DescribedSetting[];
  readonly error: Error | null;
}

export function useSettings(): Settings {
  const values = useApi(keys.settings.values, (client) => client.settings.get());
  const described = useApi(keys.settings.definitions, (client) => client.settings.describe());
  const isRead = values.data !== undefined && described.data !== undefined;
  return {
    values: isRead ? values.data.settings : undefined,
    definitions: described.data?.definitions ?? [],
    error: values.error ?? described.error,
  };
}

/** Saves settings and forgets the draft of their form, and offers to undo it. `before` has the values of the same settings. */
export function useSaveSettings(draft: string): (changes: SettingValues, before: SettingValues) => Promise<void> {
  const refetch = useRefetch();
  const undo = async (before: SettingValues) => {
    try {
      await api().settings.update(before);
      await refetch(...affectedBySettings);
      toast('Settings restored.');
    } catch (error) {
      toast(errorMessage(error));
    }
  };
  return async (changes, before) => {
    const { message } = await api().settings.update(changes);
    // Before the form is shown again with what has been saved.
    clearDraft(draft);
    const changed = Object.keys(changes).map((key) => [key, before[key]] as const);
    toast(message, { label: 'Undo', run: () => void undo(Object.fromEntries(changed)) });
    await refetch(...affectedBySettings);
  };
}
