import { ApiError, type Call, createApiCall } from '@passport/contract/call'
import type { Endpoint, RequestInput } from '@passport/contract/endpoint'
import { queryOptions } from '@tanstack/react-query'
import type { Failure } from '../ui/ErrorCard.tsx'
import { currentUserQuery } from './current-user.ts'
import { findWriteBlock } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { Cancelled, findReauthenticationProblem, reauthenticate } from './reauthentication.ts'

/** A write that was not sent, because the user who opened the page is no longer signed in. */
export class SessionChanged extends Error {}

/** An error whose message is a sentence for the user. */
export class DescribedError extends Error {}

const sendRequest = createApiCall(location.origin)

/**
 * Calls the service. Blocks writes while another user, or none, is signed in; a 401 refreshes the current user. A call
 * that needs a recent authentication waits for one and is sent again; rejects with `Cancelled` if the user declines.
 */
export const call: Call = async (endpoint, sent, options) => {
  if (endpoint.method !== 'GET') requireSameSession()
  try {
    return await sendRequest(endpoint, sent, options)
  } catch (error) {
    const problem = findReauthenticationProblem(error)
    if (problem) {
      if (!(await reauthenticate(problem))) throw new Cancelled("You didn't sign in again. Nothing was changed.")
      requireSameSession()
      return call(endpoint, sent, options)
    }
    const isSignedOut = error instanceof ApiError && error.problem?.code === 'not-signed-in'
    if (isSignedOut) void queryClient.invalidateQueries(currentUserQuery)
    throw error
  }
}

function requireSameSession(): void {
  const block = findWriteBlock()
  if (block === 'signed out') throw new SessionChanged("You've been signed out. Nothing was saved.")
  if (block === 'another user') throw new SessionChanged('Another user is signed in now. Nothing was saved.')
}

/** Returns the options for `useQuery` to load an endpoint; the cache key is its path and arguments. */
export const query = <E extends Endpoint>(endpoint: E, sent: RequestInput<E>) =>
  queryOptions({ queryKey: [endpoint.path, sent], queryFn: ({ signal }) => call(endpoint, sent, { signal }) })

/** Describes an error for the user; its title names the failed operation, such as “load users”, if given. */
export function toFailure(error: unknown, operation?: string): Failure {
  const failure = describeError(error)
  return operation && error instanceof ApiError ? { ...failure, title: `Couldn't ${operation}` } : failure
}

function describeError(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, statusText, problem } = error
    // The session bar says that the user is signed out.
    if (problem?.code === 'not-signed-in') return { title: 'Not done', detail: 'Sign in again, then try again.' }
    const detail = problem?.detail ?? `${statusText} (${status})`
    return { title: titleOf(status), detail, supportCode: problem?.supportCode }
  }
  if (error instanceof SessionChanged) return { title: 'Not saved', detail: error.message }
  if (error instanceof Cancelled) return { title: 'Cancelled', detail: error.message }
  if (error instanceof DescribedError) return { title: 'Not done', detail: error.message }
  return { title: 'No connection', detail: "Couldn't reach the server. Check your connection and try again." }
}

function titleOf(status: number): string {
  if (status === 403) return "You don't have access"
  if (status === 404) return 'Not found'
  return status < 500 ? "Couldn't do that" : 'Something went wrong'
}
