import { nowInSeconds } from '../clock.ts'
import type { Settings } from '../settings.ts'
import { readUnverifiedClaims } from './id-token.ts'

/** Compares the local clock with the provider's, using an ID token issued just now. */
export type ClockCheck = (idToken: string | undefined) => void

/** Warns once if the clocks differ by more than `clockSkew`, which may cause ID tokens to be rejected. */
export function createClockCheck({ clockSkew, logger }: Pick<Settings, 'clockSkew' | 'logger'>): ClockCheck {
  let hasWarned = false
  return (idToken) => {
    const secondsAhead = nowInSeconds() - Number(readUnverifiedClaims(idToken).iat)
    if (hasWarned || !(Math.abs(secondsAhead) > clockSkew)) return
    hasWarned = true
    const difference = secondsAhead > 0 ? `${secondsAhead} s ahead of` : `${-secondsAhead} s behind`
    logger.warn?.(`The clock of this device is ${difference} the provider’s`)
  }
}
