const words = ['Too short', 'Easy to guess', 'Fair', 'Good', 'Strong'];
const colors = ['bg-line', 'bg-error', 'bg-warning', 'bg-success', 'bg-success'];

/** From 0 to 4. Length counts most; the platform refuses common passwords itself. */
export function passwordStrength(password: string): number {
  if (password.length < 8) return 0;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length;
  const variety = new Set(password).size;
  if (variety < 5) return 1;
  const score = 1 + (password.length >= 12 ? 1 : 0) + (password.length >= 16 ? 1 : 0) + (kinds >= 3 ? 1 : 0);
  return Math.min(score, 4);
}

export function PasswordStrength({ password }: { readonly password: string }) {
  const strength = passwordStrength(password);
  return (
    <span className="flex items-center gap-3">
      <span className="flex w-24 gap-1" aria-hidden>
        {words.slice(1).map((word, index) => (
          <span
            key={word}
            className={`h-1 flex-1 rounded-full transition-colors ${index < strength ? colors[strength] : 'bg-line'}`}
          />
        ))}
      </span>
      <span>{password === '' ? 'At least 8 characters. The longer, the safer.' : words[strength]}</span>
    </span>
  );
}
