import type { CurrentUser } from '@passport/contract/current-user'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { currentUserQuery, type SessionChange, sessionChange } from './current-user.ts'
import { queryClient } from './query-client.ts'

/** Who was signed in when the page that is shown was opened. */
let pageUser: CurrentUser | null = null
/** Whose answers are in the cache, also while nobody is signed in. */
let lastPerson: string | undefined
const listeners = new Set<() => void>()

/** Called when a page is opened. A page of one person stays theirs until it is loaded anew: what it holds is theirs. */
export function openPageAs(user: CurrentUser | null): void {
  if (pageUser && user && sessionChange(pageUser, user) === 'another person') return
  if (user && lastPerson && user.claims.sub !== lastPerson) forgetWhatWasRead()
  if (user) lastPerson = user.claims.sub
  pageUser = user
  for (const listener of listeners) listener()
}

function forgetWhatWasRead() {
  void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== currentUserQuery.queryKey[0] })
}

/** Who is signed in now, without asking. */
const latest = () => queryClient.getQueryData(currentUserQuery.queryKey) ?? null

/** What keeps the page from writing: it would write as nobody or as somebody else. */
export function writeBlock(): SessionChange {
  const change = sessionChange(pageUser, latest())
  return change === 'other access' ? 'none' : change
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Who is signed in as far as the page knows, kept up to date by the poll. */
export function useCurrentUser(): CurrentUser | null {
  return useQuery(currentUserQuery).data ?? null
}

/** Whose page it is, and what has happened to their session since it was opened. */
export function useSessionChange(): { opened: CurrentUser | null; now: CurrentUser | null; change: SessionChange } {
  const opened = useSyncExternalStore(subscribe, () => pageUser)
  const now = useCurrentUser()
  return { opened, now, change: sessionChange(opened, now) }
}
