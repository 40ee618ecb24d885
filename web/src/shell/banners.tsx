import type { Me } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { CircleDashed, type LucideIcon, TriangleAlert, WifiOff } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { affectedByProfile } from '../api/affected-keys.ts';
import { useAction } from '../api/use-action.ts';
import { Icon } from '../ui/icon.tsx';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** What limits the user now, the most urgent alone. */
export function Banners({ me }: { readonly me: Me | undefined }) {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline ? (
        <Banner icon={WifiOff}>You are offline. What you see may be out of date.</Banner>
      ) : (
        me && (isLimited(me) ? <Unverified /> : me.is_sandbox && <InSandbox />)
      )}
    </div>
  );
}

function InSandbox() {
  return (
    <Banner icon={CircleDashed}>
      <span>
        This is a sandbox
        <span className="max-md:hidden">: its mails, messages, webhooks and payments reach nobody</span>.
      </span>
    </Banner>
  );
}

function Unverified() {
  const resend = useAction((client) => client.email.resendVerification(), {
    affects: affectedByProfile,
    done: ({ message }) => message,
  });
  return (
    <Banner icon={TriangleAlert}>
      <span>
        <Link to="/profile" className="font-medium underline underline-offset-4">
          Verify your email address
        </Link>
        <span className="max-md:hidden"> to make changes.</span>
      </span>
      <button
        type="button"
        onClick={() => !resend.isPending && resend.mutate(undefined)}
        className="shrink-0 font-medium underline underline-offset-4"
      >
        Send the mail again
      </button>
    </Banner>
  );
}

/** Users who have never verified their address may by default only read. */
function isLimited({ email, email_verified, sign_in_email, permissions }: Me): boolean {
  if (email_verified || sign_in_email !== email) return false;
  return permissions?.every((permission) => permission.endsWith('.view')) ?? false;
}

/** One line above every page; the height of the pages leaves room for one. */
function Banner({ icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <div
      className="flex h-(--banner) items-center justify-center gap-2 bg-warning-tint px-4 text-sm text-warning"
      data-banner
    >
      <Icon icon={icon} className="shrink-0" />
      {children}
    </div>
  );
}
