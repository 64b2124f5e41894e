import { useSyncExternalStore } from 'react'

/** The dialogs of the shell, which keys, buttons and commands open from anywhere. */
type ShellDialog = 'palette' | 'shortcuts'

let openDialogName: ShellDialog | undefined
const listeners = new Set<() => void>()

function set(name: ShellDialog | undefined) {
  openDialogName = name
  for (const listener of listeners) listener()
}

export const openPalette = (): void => set('palette')
export const openShortcuts = (): void => set('shortcuts')

/** Closes a dialog; a browser reports the end of one that another has replaced only afterwards. */
export function closeDialog(name: ShellDialog): void {
  if (openDialogName === name) set(undefined)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOpenDialog = (): ShellDialog | undefined => useSyncExternalStore(subscribe, () => openDialogName)
