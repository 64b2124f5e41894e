import { ApiError } from '@passport/contract/call'
import type { Problem } from '@passport/contract/problem'

/** The user cancelled the operation; no error needs to be reported. */
export class Cancelled extends Error {}

/** Returns the problem of a call that needs a recent authentication; undefined for any other failure. */
export const findReauthenticationProblem = (error: unknown): Problem | undefined => {
  const problem = error instanceof ApiError ? error.problem : undefined
  return problem?.code === 'reauthentication-required' ? problem : undefined
}

let pending: Promise<boolean> | undefined

/**
 * Asks the user to sign in again; resolves with whether they did. Concurrent calls share the dialog, which is loaded
 * on first use.
 */
export function reauthenticate(problem: Problem): Promise<boolean> {
  pending ??= import('./ReauthenticationDialog.tsx')
    .then(({ confirmIdentity }) => confirmIdentity(problem))
    .finally(() => {
      pending = undefined
    })
  return pending
}
