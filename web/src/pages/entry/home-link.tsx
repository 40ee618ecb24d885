import { Link } from '@tanstack/react-router';
import { useSessionState } from '../../session/session.ts';

/** Leads on from a page that is done. */
export function HomeLink() {
  const isSignedIn = useSessionState() === 'signed-in';
  return (
    <Link
      to={isSignedIn ? '/' : '/login'}
      className="justify-self-start text-accent underline-offset-4 hover:underline"
    >
      {isSignedIn ? 'Go to Home' : 'Go to sign-in'}
    </Link>
  );
}
