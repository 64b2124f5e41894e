import type { WhatIf } from '@passport/contract/permission-terms'
import { useSyncExternalStore } from 'react'

/** What the questions are asked under instead of what is stored. */
export type Supposition = WhatIf

/** Of this tab alone: what somebody supposes is nobody else's, and gone with the tab. */
const place = 'permissions supposed'
const listeners = new Set<() => void>()
let current = stored()

function stored(): Supposition | undefined {
  try {
    const text = sessionStorage.getItem(place)
    return text === null ? undefined : (JSON.parse(text) as Supposition)
  } catch {
    return undefined
  }
}

/** Supposes this from now on; nothing at all ends it. Nothing is ever written by it. */
export function suppose(next: Supposition | undefined): void {
  const isNothing = !next || (next.add.length === 0 && next.remove.length === 0 && next.schema === undefined)
  current = isNothing ? undefined : next
  try {
    if (current) sessionStorage.setItem(place, JSON.stringify(current))
    else sessionStorage.removeItem(place)
  } catch {
    // Where storage is forbidden it holds until the page is left.
  }
  for (const listener of listeners) listener()
}

/** What is supposed besides what is supposed already. */
export const supposeToo = (more: Partial<Supposition>): void =>
  suppose({
    add: [...(current?.add ?? []), ...(more.add ?? [])],
    remove: [...(current?.remove ?? []), ...(more.remove ?? [])],
    ...((more.schema ?? current?.schema) !== undefined && { schema: more.schema ?? current?.schema }),
  } as Supposition)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What is supposed; undefined while everything is asked as it is. */
export const useSupposition = (): Supposition | undefined => useSyncExternalStore(subscribe, () => current)

/** “2 relationships more, 1 less, another schema”. */
export function supposedText({ add, remove, schema }: Supposition): string {
  const counted = (count: number, word: string) =>
    count > 0 && `${count.toLocaleString('en')} ${count === 1 ? 'relationship' : 'relationships'} ${word}`
  return [counted(add.length, 'more'), counted(remove.length, 'less'), schema !== undefined && 'another schema']
    .filter(Boolean)
    .join(', ')
}
