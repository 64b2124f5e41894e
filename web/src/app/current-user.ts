import { ApiError, createApiCall } from '@passport/contract/call'
import { type CurrentUser, getCurrentUser } from '@passport/contract/current-user'
import { type QueryFunctionContext, queryOptions } from '@tanstack/react-query'

/** The interval of the current-user poll (specification, section 9). */
const pollMs = 30_000
/** The intervals after failures in a row; then `pollMs` again. */
const retryMs = [2_000, 5_000, 10_000]
/** The time limit of a poll. */
const timeoutMs = 10_000

/** The state of the poll of the current user. */
export interface PollState {
  /** Consecutive polls without a response, or with a server error. */
  failures: number
  /** The sentence of the server for the last failure, if it sent one. */
  reason?: string | undefined
  /** Set after a 200 whose body is not a user. The support code is undefined if an intermediary sent it. */
  unknownAnswer?: { traceId: string | null }
}

let pollState: PollState = { failures: 0 }
const listeners = new Set<() => void>()

export const getPollState = (): PollState => pollState

export function subscribeToPollState(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setPollState(next: PollState) {
  if (next.failures === 0 && pollState.failures === 0 && !next.unknownAnswer && !pollState.unknownAnswer) return
  pollState = next
  for (const listener of listeners) listener()
}

let traceId: string | null = null

/** Bypasses `app/api`, whose calls depend on this result. */
const send = createApiCall(location.origin, async (request) => {
  const response = await fetch(request)
  traceId = response.headers.get('x-trace-id')
  return response
})

const queryKey = ['current-user']

/**
 * The current user, polled at the start and every 30 s, even while the tab is hidden. Only a response can sign out:
 * without one, the last known user stays (at the start none), and the next poll is sooner. An equal result does not
 * re-render the page.
 */
export const currentUserQuery = queryOptions({
  queryKey,
  queryFn: pollUser,
  refetchInterval: () => retryMs[pollState.failures - 1] ?? pollMs,
  refetchIntervalInBackground: true,
  refetchOnReconnect: 'always',
  staleTime: pollMs,
  retry: false,
})

async function pollUser({ signal, client }: QueryFunctionContext): Promise<CurrentUser | null> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  try {
    const user = await send(getCurrentUser, {}, { signal: AbortSignal.any([signal, limit.signal]) })
    if (isUser(user)) {
      setPollState({ failures: 0 })
      return user
    }
    setPollState({ failures: 0, unknownAnswer: { traceId } })
    return null
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ApiError && error.status === 401) {
      setPollState({ failures: 0 })
      return null
    }
    const reason = error instanceof ApiError ? error.problem?.detail : undefined
    setPollState({ failures: pollState.failures + 1, reason })
    return client.getQueryData<CurrentUser | null>(queryKey) ?? null
  } finally {
    clearTimeout(timer)
  }
}

/** Reports whether a response has the fields that the pages need. Schemas are not in the first load. */
const isUser = (response: Partial<CurrentUser> | null): boolean =>
  typeof response?.claims?.sub === 'string' && Array.isArray(response.roles) && Array.isArray(response.orgs)

export type Role = 'Passport.Admin' | 'Passport.Developer'

/** Reports whether a user has a role. Role names are case-sensitive. */
export const hasRole = (user: CurrentUser | null, role: Role): boolean => user?.roles.includes(role) ?? false

/** The change of the session since the page was opened, as found by the poll. */
export type SessionChange = 'none' | 'signed out' | 'another user' | 'other access'

/** Compares the user who opened the page with the current user. */
export function compareSessions(opened: CurrentUser | null, current: CurrentUser | null): SessionChange {
  if (!opened) return 'none'
  if (!current) return 'signed out'
  if (opened.claims.sub !== current.claims.sub) return 'another user'
  return opened.roles.join() === current.roles.join() ? 'none' : 'other access'
}
