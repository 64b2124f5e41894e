import type { NewRelationship, WhatIf } from '@passport/contract/permission-terms'
import { printRelationship } from '@passport/permissions/relationship-text'
import { useSyncExternalStore } from 'react'
import { nameOf } from './name-of.ts'

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
  const whole = next && { ...next, add: eachOnce(next.add), remove: eachOnce(next.remove) }
  const isNothing = !whole || (whole.add.length === 0 && whole.remove.length === 0 && whole.schema === undefined)
  current = isNothing ? undefined : whole
  try {
    if (current) sessionStorage.setItem(place, JSON.stringify(current))
    else sessionStorage.removeItem(place)
  } catch {
    // Where storage is forbidden it holds until the page is left.
  }
  for (const listener of listeners) listener()
}

/** What is supposed besides what is supposed already; of what contradicts it, the newer counts. */
export function supposeToo({ add = [], remove = [], schema = current?.schema }: Partial<Supposition>): void {
  const before = current ?? { add: [], remove: [] }
  suppose({
    add: [...without(before.add, remove), ...add],
    remove: [...without(before.remove, add), ...remove],
    ...(schema !== undefined && { schema }),
  })
}

const keyOf = (relationship: NewRelationship) => printRelationship(nameOf(relationship))

/** The service takes none twice; the last one counts. */
const eachOnce = (all: NewRelationship[]) => [...new Map(all.map((one) => [keyOf(one), one])).values()]

function without(all: NewRelationship[], taken: NewRelationship[]): NewRelationship[] {
  const keys = new Set(taken.map(keyOf))
  return all.filter((one) => !keys.has(keyOf(one)))
}

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
