import { ApiError, type Call, caller } from '@passport/contract/call'
import type { Endpoint, Sent } from '@passport/contract/endpoint'
import { queryOptions } from '@tanstack/react-query'
import type { Failure } from '../ui/ErrorCard.tsx'
import { currentUserQuery } from './current-user.ts'
import { writeBlock } from './page-user.ts'
import { queryClient } from './query-client.ts'

/** A write that was not sent, because whoever opened the page is not signed in any more. */
export class SessionChanged extends Error {}

const send = caller(location.origin)

/** Calls the service. Writes are held back while somebody else, or nobody, is signed in; a 401 asks at once who is. */
export const call: Call = async (endpoint, sent, options) => {
  const block = endpoint.method === 'GET' ? 'none' : writeBlock()
  if (block === 'signed out') throw new SessionChanged('You have been signed out. Nothing was saved.')
  if (block === 'another person') throw new SessionChanged('Somebody else is signed in now. Nothing was saved.')
  try {
    return await send(endpoint, sent, options)
  } catch (error) {
    const isSignedOut = error instanceof ApiError && error.problem?.code === 'not-signed-in'
    if (isSignedOut) void queryClient.invalidateQueries(currentUserQuery)
    throw error
  }
}

/** What `useQuery` needs to load an endpoint; the cache key is the endpoint's path and what is sent. */
export const query = <E extends Endpoint>(endpoint: E, sent: Sent<E>) =>
  queryOptions({ queryKey: [endpoint.path, sent], queryFn: ({ signal }) => call(endpoint, sent, { signal }) })

/** What to tell a person of an error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, statusText, problem } = error
    return { title: `${status} ${statusText}`, detail: problem?.detail ?? statusText, traceId: problem?.traceId }
  }
  if (error instanceof SessionChanged) return { title: 'Not saved', detail: error.message }
  return { title: 'No connection', detail: 'The server did not answer. Check the network and try again.' }
}
