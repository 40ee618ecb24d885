import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './router.tsx';
import { PageLoadError } from './routing/lazy-page.tsx';
import { queries } from './session/session.ts';
import './theme.ts';
import { Toasts } from './ui/toast.tsx';

// The page says it; it is no fault of the console.
const options = { onCaughtError: (error: unknown) => !(error instanceof PageLoadError) && reportError(error) };

createRoot(document.getElementById('root') as HTMLElement, options).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
