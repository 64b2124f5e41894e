import type { CurrentUser } from '@passport/contract/current-user'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import {
  compareSessions,
  currentUserQuery,
  getPollState,
  type PollState,
  type SessionChange,
  subscribeToPollState,
} from './current-user.ts'
import { queryClient } from './query-client.ts'

/** The user who opened the current page. */
let pageUser: CurrentUser | null = null
/** The user whose responses are cached, even after a sign-out. */
let lastUserId: string | undefined
const listeners = new Set<() => void>()

/**
 * Sets the user of an opened page. A page belongs to its user until it is reloaded, because it holds that user's data.
 */
export function setPageUser(user: CurrentUser | null): void {
  if (pageUser && user && compareSessions(pageUser, user) === 'another user') return
  if (user && lastUserId && user.claims.sub !== lastUserId) resetQueries()
  if (user) lastUserId = user.claims.sub
  pageUser = user
  for (const listener of listeners) listener()
}

function resetQueries() {
  void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== currentUserQuery.queryKey[0] })
}

/** Returns the current user from the cache. */
const cachedUser = () => queryClient.getQueryData(currentUserQuery.queryKey) ?? null

/** Returns the change that blocks writes: they would be sent as another user or signed out. */
export function findWriteBlock(): SessionChange {
  const change = compareSessions(pageUser, cachedUser())
  return change === 'other access' ? 'none' : change
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the current user, kept up to date by the poll. */
export function useCurrentUser(): CurrentUser | null {
  return useQuery(currentUserQuery).data ?? null
}

/** Returns the state of the poll of the current user. */
export const usePollState = (): PollState => useSyncExternalStore(subscribeToPollState, getPollState)

/** Returns the user of the page, and the change of the session since it was opened. */
export function useSessionChange(): { opened: CurrentUser | null; current: CurrentUser | null; change: SessionChange } {
  const opened = useSyncExternalStore(subscribe, () => pageUser)
  const current = useCurrentUser()
  return { opened, current, change: compareSessions(opened, current) }
}
