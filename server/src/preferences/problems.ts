import { maxPreferences, maxValueBytes } from '@passport/contract/preferences'
import { problem } from '../http/problem.ts'

export const preferenceNotFound = problem(404, 'preference-not-found', {
  meaning: 'The preference does not exist.',
  remedy: 'Check the key; it is case-sensitive.',
  details: (key: string) => ({ detail: `The preference ${key} does not exist.` }),
})
export const preferenceTooLarge = problem(413, 'preference-too-large', {
  meaning: `A value must have at most ${maxValueBytes} bytes.`,
  remedy: 'Store a shorter value.',
})
export const preferenceLimit = problem(409, 'preference-limit', {
  meaning: `A user can have at most ${maxPreferences} preferences.`,
  remedy: 'Delete one first.',
  showRemedy: true,
})
