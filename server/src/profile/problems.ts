import { problem } from '../http/problem.ts'

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
