import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';

type State = 'checking' | 'works' | 'fails';

/**
 * Loads an image from the address, as a browser of a customer would: DNS, certificate and platform must all work. The policy of
 * the page allows images over HTTPS only.
 */
export function DomainCheck({ host }: { readonly host: string }) {
  const [attempt, setAttempt] = useState(1);
  const [state, setState] = useState<State>('checking');
  if (location.protocol !== 'https:') return <StatusPill tone="neutral">Checked over HTTPS only</StatusPill>;
  const again = () => {
    setState('checking');
    setAttempt(attempt + 1);
  };
  return (
    <>
      <img
        key={attempt}
        src={`https://${host}/favicon.svg?check=${attempt}`}
        alt=""
        hidden
        onLoad={() => setState('works')}
        onError={() => setState('fails')}
      />
      {state === 'checking' && <StatusPill tone="neutral">Checking…</StatusPill>}
      {state === 'works' && <StatusPill tone="success">Works</StatusPill>}
      {state === 'fails' && (
        <>
          <StatusPill tone="error">Cannot be reached</StatusPill>
          <Button variant="quiet" className="text-sm" onClick={again}>
            Check again
          </Button>
        </>
      )}
    </>
  );
}
