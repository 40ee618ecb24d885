import { forgetSubmission } from '../../form/submission.ts';
import { useStored } from '../../session/stored.ts';
import type { OrderDraft } from './order-draft.ts';

export interface EditedOrder {
  /** Under which it is kept, and sent once. */
  readonly name: string;
  readonly draft: OrderDraft;
  readonly isChanged: boolean;
  readonly change: (changes: Partial<OrderDraft>) => void;
  readonly clear: () => void;
}

/** Creating the order and saving it as a draft are two submissions. */
export const savingName = (name: string) => `${name}.draft`;

/** What has been entered, kept by the browser until it is saved. `initial` is what there was before. */
export function useOrderDraft(name: string, initial: OrderDraft): EditedOrder {
  const [stored, setDraft] = useStored<OrderDraft>(`draft.${name}`, initial);
  // A draft of an older version has fewer fields.
  const draft = { ...initial, ...stored };
  return {
    name,
    draft,
    isChanged: JSON.stringify(draft) !== JSON.stringify(initial),
    change: (changes) => setDraft({ ...draft, ...changes }),
    clear() {
      setDraft(undefined);
      forgetSubmission(name);
      forgetSubmission(savingName(name));
    },
  };
}
