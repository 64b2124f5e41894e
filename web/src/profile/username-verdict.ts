import type { UsernameVerdict } from '@passport/contract/profile'

/** Whether a username can be had, in words. */
export function verdictOf({ username, verdict, message }: UsernameVerdict): string {
  switch (verdict) {
    case 'free':
      return `${username} is free.`
    case 'taken':
      return `${username} is taken: someone has it, or had it in the last 90 days.`
    case 'invalid':
      return message ?? 'This cannot be a username.'
    case 'yours':
      return 'This is your username.'
  }
}

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric' })

/** How often a username may still be changed, in words; the first one is no change. */
export function allowanceOf({ changesLeft, nextChangeAt }: UsernameVerdict, hasOne: boolean): string {
  if (nextChangeAt !== null && hasOne) return `You can change it again on ${day.format(new Date(nextChangeAt))}.`
  if (!hasOne || changesLeft >= 3) return 'You can change it 3 times in 30 days.'
  return changesLeft === 1
    ? 'You can change it once more for now.'
    : `You can change it ${changesLeft} more times for now.`
}
