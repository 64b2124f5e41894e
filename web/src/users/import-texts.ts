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

/** Formats the error of a row as a sentence. */
export const formatRowError = (code: string): string => rowErrors[code] ?? code
const rowErrors: Record<string, string> = {
  'username-invalid': 'Not a valid username.',
  'displayname-invalid': 'Not a valid name.',
  'email-invalid': 'Not a valid email address.',
  'true-or-false': 'Enter true or false.',
  'username-taken': 'Username is taken, was used in the last 90 days, or appears twice in the file.',
  'email-taken': 'Email is taken, or appears twice in the file.',
  'role-not-found': 'Role not found.',
  'role-built-in': "An import can't give Passport's own roles.",
  'role-not-yours-to-give': "You can't assign this role.",
  'cells-missing': 'Wrong number of columns.',
  nobody: 'Enter a name or an email.',
  'changed-since': 'Kept because it changed after the import.',
}
