import { Check, ChevronDown } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { Icon } from './icon.tsx';

/** What a control needs to belong to its label, help and error. */
interface Control {
  readonly id: string;
  readonly name: string | undefined;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly label: string;
  /** The field of the form; `form.field('email')` of `useForm` sets it with the error. */
  readonly name?: string;
  readonly help?: ReactNode;
  /** Takes the place of the help. */
  readonly error?: string | undefined;
  readonly aside?: ReactNode;
  readonly children: (control: Control) => ReactNode;
}

export function Field({ label, name, help, error, aside, children }: FieldProps) {
  const id = useId();
  const note = error ?? help;
  const noteId = note === undefined ? undefined : `${id}-note`;
  return (
    <div className="relative grid content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, name, 'aria-describedby': noteId, 'aria-invalid': error === undefined ? undefined : true })}
      {note !== undefined && (
        <div id={noteId} className={`text-xs ${error === undefined ? 'text-faint' : 'text-error'}`}>
          {note}
        </div>
      )}
      {/* Above the control, but after it for the Tab key. */}
      {aside && <div className="absolute top-0 right-0">{aside}</div>}
    </div>
  );
}

const control =
  'w-full h-9 max-md:h-11 rounded-control border border-edge/70 bg-surface px-3 text-base max-md:text-lg transition-colors ' +
  'placeholder:text-faint hover:border-edge focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/25 ' +
  'aria-invalid:border-error aria-invalid:focus:outline-error/25 disabled:bg-sunken disabled:text-secondary';

export function Input({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input className={`${control} ${className}`} {...rest} />;
}

export function TextArea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={`${control} h-auto! py-2 ${className}`} {...rest} />;
}

/** The browser's own list: complete on touch and with a keyboard, and fast with hundreds of options. */
export function Select({ className = '', children, ...rest }: ComponentProps<'select'>) {
  return (
    <div className="relative">
      <select className={`${control} appearance-none truncate pr-8 ${className}`} {...rest}>
        {children}
      </select>
      <Icon
        icon={ChevronDown}
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-secondary"
      />
    </div>
  );
}

interface CheckboxProps extends ComponentProps<'input'> {
  readonly label: ReactNode;
}

export function Checkbox({ label, ...rest }: CheckboxProps) {
  return (
    <label className="inline-flex min-h-8 max-md:min-h-11 items-center gap-2.5">
      <span className="relative grid size-4 place-items-center">
        <input
          type="checkbox"
          className="peer size-4 appearance-none rounded-[4px] border border-edge bg-surface transition-colors checked:border-accent checked:bg-accent disabled:opacity-50"
          {...rest}
        />
        <Icon
          icon={Check}
          size={12}
          strokeWidth={3}
          className="pointer-events-none absolute text-on-accent opacity-0 peer-checked:opacity-100"
        />
      </span>
      {label}
    </label>
  );
}
