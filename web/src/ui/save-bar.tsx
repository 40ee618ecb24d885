import { Button } from './button.tsx';

interface SaveBarProps {
  readonly isBusy: boolean;
  /** What the button does. */
  readonly action?: string;
  /** Without it, there is nothing that was saved before. */
  readonly onDiscard?: (() => void) | undefined;
}

/** At the end of a form with unsaved changes, always in sight. */
export function SaveBar({ isBusy, action = 'Save', onDiscard }: SaveBarProps) {
  return (
    <div className="sticky bottom-0 z-[2] -mx-1 flex items-center justify-end gap-2 border-t border-line bg-canvas px-1 py-3">
      {onDiscard && (
        <>
          <span className="mr-auto text-sm text-secondary">Not saved yet</span>
          <Button variant="quiet" onClick={onDiscard}>
            Discard
          </Button>
        </>
      )}
      <Button type="submit" variant="primary" isBusy={isBusy}>
        {action}
      </Button>
    </div>
  );
}
