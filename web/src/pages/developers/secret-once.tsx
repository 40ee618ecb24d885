import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';

interface SecretOnceProps {
  /** What was created: `Shop window was created. `. */
  readonly children: ReactNode;
  /** What is needed beside the secret, such as the id. */
  readonly values?: readonly (readonly [label: string, value: string])[];
  readonly secret: string;
  readonly onDone: () => void;
}

/** A secret that the platform does not show again. */
export function SecretOnce({ children, values = [], secret, onDone }: SecretOnceProps) {
  return (
    <div className="grid gap-3 rounded-panel border border-line bg-surface p-4">
      <Notice tone="success">
        <span className="wrap-anywhere">{children}</span> Copy the secret now: it is not shown again.
      </Notice>
      <dl className="grid gap-2 text-sm">
        {[...values, ['Secret', secret] as const].map(([label, value]) => (
          <div key={label} className="grid gap-1">
            <dt className="text-xs text-secondary">{label}</dt>
            <dd>
              <code className="block rounded-control bg-sunken px-3 py-2 break-all">{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={secret} label="Copy the secret" autoFocus />
        <Button variant="quiet" onClick={onDone}>
          I have stored it
        </Button>
      </div>
    </div>
  );
}
