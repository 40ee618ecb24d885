import { Component, type ReactNode } from 'react';
import { errorMessage } from '../format/error-message.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface EntryBoundaryProps {
  readonly title: string;
  readonly children: ReactNode;
}

interface Failed {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Shows why a part of a module failed. The rest of the console stays. */
export class EntryBoundary extends Component<EntryBoundaryProps, Failed> {
  override state: Failed = { failure: undefined };

  static getDerivedStateFromError(error: unknown): Failed {
    return { failure: { error } };
  }

  override render() {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    return (
      <Notice tone="error">
        <p className="font-medium">“{this.props.title}” cannot be shown.</p>
        <p className="break-words">{errorMessage(failure.error)}</p>
        <Button className="mt-2" onClick={() => this.setState({ failure: undefined })}>
          Try again
        </Button>
      </Notice>
    );
  }
}
