import { useEffect, useRef, useState } from 'react'
import { currentUserQuery } from './current-user.ts'
import { draftKeyPrefix } from './draft-key-prefix.ts'
import { queryClient } from './query-client.ts'

/*
 * Form drafts, kept in this tab while it leaves for a sign-in. A draft is offered once, on the page where it was typed,
 * to the user who typed it.
 */

const maxAgeMs = 60 * 60 * 1000

interface StoredDraft {
  sub: string
  keptAt: number
  value: unknown
}

const draftReaders = new Map<string, () => unknown>()
const keyOf = (name: string) => `${draftKeyPrefix}${location.pathname}:${name}`
const currentSub = () => queryClient.getQueryData(currentUserQuery.queryKey)?.claims.sub

/** Stores the unsaved input of the page's forms. */
export function storeDrafts(): void {
  const sub = currentSub()
  if (!sub) return
  for (const [name, read] of draftReaders) {
    const value = read()
    if (value === undefined) continue
    const stored: StoredDraft = { sub, keptAt: Date.now(), value }
    try {
      sessionStorage.setItem(keyOf(name), JSON.stringify(stored))
    } catch {
      // Storage is blocked or full: the form is empty after the sign-in.
    }
  }
}

function loadDraft(name: string): unknown {
  try {
    const stored = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null') as StoredDraft | null
    if (stored && stored.sub === currentSub() && Date.now() - stored.keptAt < maxAgeMs) return stored.value
    removeDraft(name)
  } catch {
    // With blocked storage, none was kept.
  }
  return undefined
}

function removeDraft(name: string) {
  try {
    sessionStorage.removeItem(keyOf(name))
  } catch {
    // As above.
  }
}

/** A draft to restore or discard; see `DraftOffer`. */
export interface OfferedDraft {
  restore: () => void
  discard: () => void
}

/**
 * Keeps a form's draft when the page leaves for a sign-in, and offers it afterwards. `name` is unique on the page;
 * `read` returns undefined without input.
 */
export function useDraft<T>(
  name: string,
  read: () => T | undefined,
  restore: (draft: T) => void,
): OfferedDraft | undefined {
  const [draft, setDraft] = useState(() => loadDraft(name) as T | undefined)
  const latest = useRef(read)
  latest.current = read
  useEffect(() => {
    draftReaders.set(name, () => latest.current())
    return () => void draftReaders.delete(name)
  }, [name])
  if (draft === undefined) return undefined
  const finish = () => {
    removeDraft(name)
    setDraft(undefined)
  }
  return {
    restore: () => {
      restore(draft)
      finish()
    },
    discard: finish,
  }
}
