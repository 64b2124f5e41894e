import type { ImportState } from '@passport/contract/user-imports'

export const stateNames: Record<ImportState, string> = {
  checked: 'Checked',
  applying: 'Adding people',
  applied: 'People added',
  takingBack: 'Taking back',
  takenBack: 'Taken back',
}

/** What is wrong with a row, as a sentence. */
export const faultText = (code: string): string => faults[code] ?? code
const faults: Record<string, string> = {
  'username-invalid': 'This is no username.',
  'displayname-invalid': 'This is no name.',
  'email-invalid': 'This is no e-mail address.',
  'true-or-false': 'Write true or false.',
  'username-taken': 'Someone has this username, or had it lately, or it is in the file twice.',
  'email-taken': 'Someone has this e-mail, or it is in the file twice.',
  'role-not-found': 'There is no such role.',
  'role-not-yours-to-give': 'The role is not yours to give.',
  'cells-missing': 'Has more or fewer cells than the first line.',
  nobody: 'Has neither a name nor an e-mail.',
  'changed-since': 'Was kept: changed or came in since.',
}
