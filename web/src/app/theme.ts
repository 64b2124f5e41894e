import { useSyncExternalStore } from 'react'
import { storeChoice } from './stored-choice.ts'

export type Theme = 'system' | 'light' | 'dark'

/** The same key as in `theme.js`, which sets the theme before the first paint. */
const key = 'passport.theme'
const listeners = new Set<() => void>()

function read(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Applies a theme, and stores it for this browser and for the pages of the server. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  storeChoice(key, theme === 'system' ? null : theme)
  // The pages of the server, such as sign-in, have no script that reads the storage.
  const [value, seconds] = theme === 'system' ? ['', 0] : [theme, 365 * 24 * 60 * 60]
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing over plain http
  document.cookie = `passport-theme=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax`
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, read)
