import { Notice } from './notice.tsx';

/** For a form whose unsaved values were restored. */
export function RestoredNotice({ onDiscard }: { readonly onDiscard: () => void }) {
  return (
    <Notice>
      Your unsaved changes were restored.{' '}
      <button type="button" onClick={onDiscard} className="font-medium underline underline-offset-4">
        Discard them
      </button>
    </Notice>
  );
}
