import { nowInSeconds } from '../clock.ts'
import type { Settings } from '../settings.ts'
import { unverifiedClaims } from './id-token.ts'

/** Holds the clock here against the provider's, by an ID token that was made just now. */
export type ClockCheck = (idToken: string | undefined) => void

/** Warns once where the clocks are further apart than `clockSkew`, and ID tokens may be refused for it. */
export function createClockCheck({ clockSkew, logger }: Pick<Settings, 'clockSkew' | 'logger'>): ClockCheck {
  let isTold = false
  return (idToken) => {
    const secondsAhead = nowInSeconds() - Number(unverifiedClaims(idToken).iat)
    if (isTold || !(Math.abs(secondsAhead) > clockSkew)) return
    isTold = true
    const apart = secondsAhead > 0 ? `${secondsAhead} s ahead of` : `${-secondsAhead} s behind`
    logger?.warn(`The clock of this computer is ${apart} the provider’s`)
  }
}
