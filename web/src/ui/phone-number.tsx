import { formatPhone } from '../format/phone.ts';

/** Can be called, unless it is masked. */
export function PhoneNumber({ number, className = '' }: { readonly number: string; readonly className?: string }) {
  if (!/^\+?\d+$/.test(number)) return <span className={`numeric ${className}`}>{number}</span>;
  return (
    <a href={`tel:${number}`} className={`numeric underline-offset-4 hover:underline ${className}`}>
      {formatPhone(number)}
    </a>
  );
}
