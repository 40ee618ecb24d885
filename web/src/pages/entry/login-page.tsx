import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { SignInForm } from '../../form/sign-in-form.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';

export function LoginPage() {
  const { next = '/' } = useSearch({ from: '/login' });
  const navigate = useNavigate();
  const forgotten = (
    <Link to="/forgot-password" className="text-xs text-accent underline-offset-4 hover:underline">
      Forgot password?
    </Link>
  );
  return (
    <EntryLayout title="Sign in">
      <SignInForm aside={forgotten} onSignedIn={() => void navigate({ to: next, replace: true })} />
    </EntryLayout>
  );
}
