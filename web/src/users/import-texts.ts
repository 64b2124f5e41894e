import type { ImportState } from '@passport/contract/user-imports'

export const stateNames: Record<ImportState, string> = {
  checked: 'Checked',
  applying: 'Importing',
  applied: 'Imported',
  takingBack: 'Undoing',
  takenBack: 'Undone',
}

/** Reports whether an import is being applied or undone. */
export const isRunning = (state: ImportState | undefined) => state === 'applying' || state === 'takingBack'
