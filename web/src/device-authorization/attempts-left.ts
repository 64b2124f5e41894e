import { ApiError } from '@passport/contract/call'

/** How often what was typed may still be wrong, as the service told; undefined where it was not that. */
export function attemptsLeftOf(error: unknown): number | undefined {
  const left =
    error instanceof ApiError ? (error.body as { attemptsLeft?: unknown } | undefined)?.attemptsLeft : undefined
  return typeof left === 'number' ? left : undefined
}

export const triesLeft = (left: number): string => `${left} more ${left === 1 ? 'try' : 'tries'}`
