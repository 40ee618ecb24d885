import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { Input } from './field.tsx';
import { Icon } from './icon.tsx';

/** A password, which can be shown while it is typed. */
export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  const [isShown, setShown] = useState(false);
  const label = isShown ? 'Hide the characters' : 'Show the characters';
  return (
    // Never part of a draft, also while it is shown.
    <div data-own-draft className="relative">
      <Input
        {...props}
        type={isShown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="none"
        className="pr-11"
      />
      <button
        type="button"
        aria-label={label}
        title={label}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
        className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-control text-secondary hover:text-text max-md:w-11"
      >
        <Icon icon={isShown ? EyeOff : Eye} />
      </button>
    </div>
  );
}
