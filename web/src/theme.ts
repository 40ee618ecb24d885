import { useSyncExternalStore } from 'react';
import { observable } from './state/observable.ts';

export type Theme = 'system' | 'light' | 'dark';

const key = 'chowk.theme';
const theme = observable<Theme>(readTheme());
applyTheme();
theme.subscribe(applyTheme);

function readTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.get() === 'system') delete dataset.theme;
  else dataset.theme = theme.get();
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(key, chosen);
  theme.set(chosen);
}

export function useTheme(): Theme {
  return useSyncExternalStore(theme.subscribe, theme.get);
}
