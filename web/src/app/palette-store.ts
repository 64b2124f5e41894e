import { useSyncExternalStore } from 'react'
import { remember, remembered } from './remembered.ts'

let isOpen = false
const listeners = new Set<() => void>()

function set(open: boolean) {
  isOpen = open
  for (const listener of listeners) listener()
}

export const openPalette = (): void => set(true)
export const closePalette = (): void => set(false)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useIsPaletteOpen = (): boolean => useSyncExternalStore(subscribe, () => isOpen)

const recentKey = 'passport.recent'
const maxRecent = 5

/** The pages that were jumped to lately, the last one first. */
export function recentPages(): string[] {
  try {
    const stored: unknown = JSON.parse(remembered(recentKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

export function rememberPage(path: string): void {
  const recent = [path, ...recentPages().filter((other) => other !== path)].slice(0, maxRecent)
  remember(recentKey, JSON.stringify(recent))
}
