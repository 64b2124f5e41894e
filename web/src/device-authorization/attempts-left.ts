import { ApiError } from '@passport/contract/call'

/** Returns the remaining attempts from the service's error; undefined for other errors. */
export function readAttemptsLeft(error: unknown): number | undefined {
  const attemptsLeft =
    error instanceof ApiError ? (error.body as { attemptsLeft?: unknown } | undefined)?.attemptsLeft : undefined
  return typeof attemptsLeft === 'number' ? attemptsLeft : undefined
}

export const formatAttemptsLeft = (attemptsLeft: number): string =>
  `${attemptsLeft} ${attemptsLeft === 1 ? 'attempt' : 'attempts'} left`
