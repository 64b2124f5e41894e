import { useState } from 'react'
import { currentUserQuery } from './current-user.ts'
import { draftKeyPrefix } from './draft-key-prefix.ts'
import { queryClient } from './query-client.ts'

const keyOf = (name: string) =>
  `${draftKeyPrefix}${queryClient.getQueryData(currentUserQuery.queryKey)?.claims.sub}:${name}`

/** Keeps a value in this tab, until the user signs out; `undefined` removes it. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(keyOf(name))
    else sessionStorage.setItem(keyOf(name), JSON.stringify(value))
  } catch {
    // Storage is blocked or full: a reload loses the value.
  }
}

function load<T>(name: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** A state that outlives a reload, see `keep`. A component with another name needs another key. */
export function useKept<T>(name: string): [value: T | undefined, setValue: (value: T | undefined) => void] {
  const [value, setValue] = useState(() => load<T>(name))
  return [
    value,
    (value) => {
      setValue(value)
      keep(name, value)
    },
  ]
}
