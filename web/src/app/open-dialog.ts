import { useSyncExternalStore } from 'react'

/** The dialogs of the shell. Keys, buttons and commands open them on any page. */
type ShellDialog = 'palette' | 'shortcuts'

let openDialogName: ShellDialog | undefined
const listeners = new Set<() => void>()

function setOpenDialog(name: ShellDialog | undefined) {
  openDialogName = name
  for (const listener of listeners) listener()
}

export const openPalette = (): void => setOpenDialog('palette')
export const openShortcuts = (): void => setOpenDialog('shortcuts')

/** Closes a dialog, unless another one has replaced it: browsers report the close of the replaced dialog later. */
export function closeDialog(name: ShellDialog): void {
  if (openDialogName === name) setOpenDialog(undefined)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOpenDialog = (): ShellDialog | undefined => useSyncExternalStore(subscribe, () => openDialogName)
