import { restorableDays } from '@passport/contract/trash'
import { problem } from '../http/problem.ts'

export const emailTaken = problem(409, 'email-taken', {
  meaning: 'A user with this email already exists.',
  remedy: 'Use another email address, or the existing user.',
  field: 'email',
})
export const restoreExpired = problem(410, 'restore-expired', {
  meaning: `Deleted users can be restored for ${restorableDays} days.`,
  remedy: 'Create a new user.',
})
export const nothingToReset = problem(409, 'nothing-to-reset', {
  meaning: 'This user has no password in the built-in directory.',
  remedy: 'Reset the password at the identity provider of the user.',
})
// Bulk changes.
export const tooMany = problem(400, 'too-many', {
  meaning: 'The filter matches more users than can be changed at once.',
  remedy: 'Narrow the filter.',
  details: (limit: number) => ({
    detail: `At most ${limit} users can be changed at once. Narrow the filter.`,
    errors: [{ field: 'query', code: 'too-many', message: `Matches more than ${limit} users.` }],
  }),
})
export const undoNotFound = problem(404, 'undo-not-found', {
  meaning: 'Nothing to undo.',
  remedy: 'Use the `undoToken` of one of your own changes. Ended sessions cannot be restored.',
})
export const undoExpired = problem(410, 'undo-expired', {
  meaning: 'This can no longer be undone.',
  remedy: 'Make the opposite change.',
})

// Imports.
export const importNotFound = problem(404, 'import-not-found', {
  meaning: 'Import not found.',
  remedy: 'List the imports again.',
})
export const importState = problem(409, 'import-state', {
  meaning: 'This import is not in the state that the action requires.',
  remedy: 'Reload the import. Another administrator may have applied or undone it.',
  details: (required: string) => ({ detail: `This import is not ${required}.` }),
})
export const csvInvalid = problem(400, 'csv-invalid', {
  meaning: 'The file is not a valid CSV file of users.',
  remedy: 'Correct the file as `detail` says.',
  details: (detail: string) => ({ detail }),
})
