import { Button } from '../../ui/button.tsx';

interface DraftButtonsProps {
  readonly label: string;
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  readonly onDiscard: () => void;
}

/** Saves a setting that is a list, or shows again what is saved. */
export function DraftButtons({ label, isChanged, isBusy, onDiscard }: DraftButtonsProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button type="submit" variant="primary" disabled={!isChanged} isBusy={isBusy} className="max-sm:flex-1">
        {label}
      </Button>
      {isChanged && (
        <Button variant="quiet" onClick={onDiscard}>
          Discard changes
        </Button>
      )}
    </div>
  );
}
