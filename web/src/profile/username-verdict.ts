import type { UsernameVerdict } from '@passport/contract/profile'

/** Describes the availability of a username. */
export function formatVerdict({ username, verdict, message }: UsernameVerdict): string {
  switch (verdict) {
    case 'free':
      return `${username} is available.`
    case 'taken':
      return `${username} is taken, or was used in the last 90 days.`
    case 'invalid':
      return message ?? 'Not a valid username.'
    case 'yours':
      return 'This is your username.'
  }
}

const dayFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric' })

/** Describes the remaining changes of a username. Setting the first one is not counted. */
export function formatAllowance({ changesLeft, nextChangeAt }: UsernameVerdict, hasUsername: boolean): string {
  if (nextChangeAt !== null && hasUsername)
    return `You can change it again on ${dayFormat.format(new Date(nextChangeAt))}.`
  if (!hasUsername || changesLeft >= 3) return 'You can change it 3 times in 30 days.'
  return changesLeft === 1
    ? '1 change left in this 30-day period.'
    : `${changesLeft} changes left in this 30-day period.`
}
