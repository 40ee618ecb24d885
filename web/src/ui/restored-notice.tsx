import { Notice } from './notice.tsx';

/** In a form that has again what was typed before a reload. */
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
