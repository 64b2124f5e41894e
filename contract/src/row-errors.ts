/** The errors of a row of a file of users, as sentences. */
const sentences = {
  'username-invalid': 'Not a valid username.',
  'displayname-invalid': 'Not a valid name.',
  'email-invalid': 'Not a valid email address.',
  'true-or-false': 'Enter true or false.',
  'replacement-character': 'Damaged text: a character was lost in a wrong encoding.',
  'username-taken': 'Username is taken, was used in the last 90 days, or appears twice in the file.',
  'email-taken': 'Email is taken, or appears twice in the file.',
  'role-not-found': 'Role not found.',
  'too-many-roles': 'At most 100 roles.',
  'role-built-in': "An import can't give Passport's own roles.",
  'role-not-yours-to-give': "You can't assign this role.",
  'cells-missing': 'Has fewer cells than the header.',
  'cells-extra': 'Has more cells than the header.',
  nobody: 'Enter a name or an email.',
  'changed-since': 'Kept because it changed after the import.',
} as const
export type RowErrorCode = keyof typeof sentences

/** Formats the error of a row as a sentence. */
export const formatRowError = (code: string): string => sentences[code as RowErrorCode] ?? code
