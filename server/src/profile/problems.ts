import { problem } from '../http/problem.ts'

/** What is wrong with a file, with a code for programs. */
export interface Finding {
  code: string
  message: string
}

/** The number of findings in a response. */
const maxFindings = 20

export const profileNotFound = problem(404, 'profile-not-found', {
  meaning: 'Profile not found.',
  remedy: 'Check the id. It is the id of a user, or `me`.',
})
export const usernameUnset = problem(404, 'username-unset', {
  meaning: 'This user has no username.',
  remedy: 'Use the display name or the id.',
})
export const usernameCooldown = problem(429, 'username-cooldown', {
  meaning: 'A username can be changed only a few times in a period.',
  remedy: 'Try again after the seconds in Retry-After.',
  details: (seconds: number, { maxChanges, days }: { maxChanges: number; days: number }) => ({
    detail: `A username can be changed at most ${maxChanges} times in ${days} days.`,
    headers: { 'Retry-After': String(seconds) },
  }),
})

export const avatarUnset = problem(404, 'avatar-unset', {
  meaning: 'This user has no picture, or no model.',
  remedy: 'Show initials, or another picture.',
})
export const avatarInvalid = problem(400, 'avatar-invalid', {
  meaning: 'The file is not a picture or a model that an avatar can have.',
  remedy: 'Correct what `errors` says about the file, or send another one.',
  details: (field: string, findings: Finding[]) => ({
    detail: findings
      .map(({ message }) => message)
      .slice(0, 3)
      .join(' '),
    errors: findings.slice(0, maxFindings).map(({ code, message }) => ({ field, code, message })),
  }),
})
export const avatarUrlRefused = problem(400, 'avatar-url-refused', {
  meaning: 'The URL is not one from which an avatar can be imported.',
  remedy: 'Use an https URL on the public internet, without a port, a user name or a password; or upload the file.',
  details: (field: string, message: string) => ({
    detail: message,
    errors: [{ field, code: 'avatar-url-refused', message }],
  }),
})
export const readyPlayerMeNotLinked = problem(404, 'readyplayerme-not-linked', {
  meaning: 'No avatar of this user was archived from Ready Player Me before the service ended.',
  remedy: 'Upload a model to the profile.',
})
/** One sentence for every failure, so that the response reveals nothing about the network of the server. */
export const avatarFetchFailed = problem(502, 'avatar-fetch-failed', {
  meaning: 'The file could not be downloaded from this URL.',
  remedy: 'Check that it opens without signing in and is not too large, or upload the file.',
  showRemedy: true,
})
export const avatarBusy = problem(503, 'avatar-busy', {
  meaning: 'Too many pictures and models are being checked.',
  remedy: 'Try again in a few seconds.',
  showRemedy: true,
  retryAfterSeconds: 5,
})
