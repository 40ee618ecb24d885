import type { ReferralCode } from '@chowk/client';

interface CodeState {
  readonly label: string;
  readonly tone: 'success' | 'warning' | 'neutral';
  /** Whether businesses can apply with it. */
  readonly isOpen: boolean;
}

export function codeState(
  { expires_at, max_uses, uses }: Pick<ReferralCode, 'expires_at' | 'max_uses' | 'uses'>,
  now = new Date(),
): CodeState {
  if (expires_at !== null && new Date(expires_at) <= now) return { label: 'Ended', tone: 'neutral', isOpen: false };
  if (max_uses !== null && uses >= max_uses) return { label: 'Used up', tone: 'warning', isOpen: false };
  return { label: 'Open', tone: 'success', isOpen: true };
}
