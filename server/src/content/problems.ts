import { maxContentLocales } from '@passport/contract/content'
import { problem } from '../http/problem.ts'

export const contentNotFound = problem(404, 'content-not-found', {
  meaning: 'No text in this language.',
  remedy: 'Choose another language. A deleted text can be restored from the trash.',
})
export const versionNotFound = problem(404, 'content-version-not-found', {
  meaning: 'Version not found.',
  remedy: 'Reload the history. The oldest versions are deleted.',
})
export const notTheDraft = problem(409, 'content-not-draft', {
  meaning: 'This version is not the draft of the text.',
  remedy: 'Reload the text and try again. To publish an earlier version, restore it first.',
  showRemedy: true,
})
export const tooManyLocales = problem(409, 'too-many-locales', {
  meaning: `A text has at most ${maxContentLocales} languages.`,
  remedy: 'Delete a language that is no longer used. One in the trash counts until it is purged.',
  showRemedy: true,
})
