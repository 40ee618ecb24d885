import type { OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { useCan } from '../../api/use-api.ts';
import { useDebounced } from '../../state/debounced.ts';
import { Button } from '../../ui/button.tsx';
import { findNextStep, type OrderAction, orderActions } from './order-actions.ts';

interface NextStepProps {
  readonly order: OrderDetails;
  readonly onAction: (action: OrderAction) => Promise<void> | void;
}

/** A click that soon follows another one was not meant for what has taken its place. */
const pauseMs = 800;

/** The one step that usually comes next; all others are in the menu. */
export function NextStep({ order, onAction }: NextStepProps) {
  const step = findNextStep(order, useCan());
  const isNew = useDebounced(step, pauseMs) !== step;
  const [isBusy, setBusy] = useState(false);
  if (!step) return null;
  const act = async () => {
    if (isNew) return;
    setBusy(true);
    await onAction(step);
    setBusy(false);
  };
  const label = step === 'ship' && order.fulfillment_status === 'partly_fulfilled' ? 'Ship the rest' : undefined;
  return (
    <Button
      variant="primary"
      className={`-mt-2 justify-self-start transition-opacity max-md:justify-self-stretch ${isNew ? 'opacity-50' : ''}`}
      isBusy={isBusy}
      {...(isNew ? { 'aria-disabled': true } : {})}
      onClick={() => void act()}
    >
      {label ?? orderActions[step].label}
    </Button>
  );
}
