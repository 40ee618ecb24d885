import { Fragment, type ReactNode, useState } from 'react';
import { api } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { PasswordInput } from '../ui/password-input.tsx';
import { useForm } from './use-form.ts';

interface SignInFormProps {
  readonly email?: string | undefined;
  /** Beside the label of the password. */
  readonly aside?: ReactNode;
  readonly onSignedIn: () => void;
}

interface Values {
  /** The first step. */
  readonly email?: string;
  readonly password?: string;
  /** The second step. */
  readonly otp?: string;
}

/** Email and password and, for accounts with a second factor, a code. */
export function SignInForm({ email, aside, onSignedIn }: SignInFormProps) {
  const [credentials, setCredentials] = useState<{ email: string; password: string }>();
  const [isComplete, setComplete] = useState(false);
  const { isBusy, problem, errors, field, props } = useForm<Values>(async ({ email = '', password = '', otp }) => {
    const entered = credentials ?? { email, password };
    setComplete(entered.email !== '' && entered.password !== '');
    const outcome = await api().signIn(otp === undefined ? entered : { ...entered, otp });
    if (outcome.signedIn) onSignedIn();
    else setCredentials(entered);
  });
  return (
    <form {...props} className="grid gap-4">
      {problem && <Notice tone="error">{problem}</Notice>}
      {/* With keys, or the field of the code would be that of the email, with what was typed there. */}
      {credentials ? (
        <Fragment key="code">
          <Field
            label="Code"
            help="From your authenticator app. A recovery code works too."
            {...field('otp')}
            error={errors.otp ?? errors.email}
          >
            {(control) => (
              <Input {...control} autoComplete="one-time-code" autoFocus required className="numeric tracking-widest" />
            )}
          </Field>
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Continue
          </Button>
          <Button variant="quiet" onClick={() => setCredentials(undefined)}>
            Use another account
          </Button>
        </Fragment>
      ) : (
        <Fragment key="password">
          {/* A refusal is about both fields: it is shown above them. */}
          <Field label="Email" name="email" error={isComplete ? undefined : errors.email}>
            {(control) => (
              <Input
                {...control}
                type="email"
                autoComplete="username"
                defaultValue={email}
                autoFocus={email === undefined}
                required
              />
            )}
          </Field>
          <Field label="Password" {...field('password')} aside={aside}>
            {(control) => (
              <PasswordInput {...control} autoComplete="current-password" autoFocus={email !== undefined} required />
            )}
          </Field>
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Sign in
          </Button>
        </Fragment>
      )}
    </form>
  );
}
