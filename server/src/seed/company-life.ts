import type { Action, TargetKind } from '@passport/contract/audit'
import type { JsonObject } from '../audit/store.ts'
import type { Company, Org, Person, Place, Role } from './company.ts'
import { userAgents } from './company-names.ts'
import { chance, hex, pick, spread } from './generated-directory.ts'

/* The state that all changes of a company share: the current place in time, the choices and the record of events. */

export interface Event {
  number: number
  at: Place
  action: Action
  actor: Person | null
  kind: TargetKind
  target: string | null
  before?: JsonObject
  after?: JsonObject
  reason?: string
  ip: string
  userAgent: string
}
export type Details = Pick<Event, 'before' | 'after' | 'reason'>

export const provider = { id: 'harbour', issuer: 'https://login.harbour.example' }
export const subjectOf = ({ number }: Person) => hex(spread(number, 16), 8) + hex(number, 8)
export const domainOf = ({ slug }: Org) => `${slug}.example`

export type Life = ReturnType<typeof createLife>

/** Begins the thirty days of a company. The caller sets `now` before each change. */
export function createLife(company: Company) {
  const life = {
    company,
    now: 0 as Place,
    events: [] as Event[],
    random,
    choose,
    find,
    exists,
    isActive,
    isMember,
    admin,
    record,
    touch,
  }
  let drawn = 0
  /** Returns the next number of the sequence that all choices come from, from 0 up to 1. */
  function random(): number {
    return chance(drawn++, 200)
  }
  function choose<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(random() * all.length)]
  }
  /** Chooses one that meets the condition; undefined if some attempts find none. */
  function find<T>(all: readonly T[], meets: (one: T) => boolean): T | undefined {
    for (let attempt = 0; attempt < 60; attempt++) {
      const one = choose(all)
      if (one !== undefined && meets(one)) return one
    }
    return undefined
  }
  function exists({ createdAt }: { createdAt: Place }): boolean {
    return createdAt <= life.now
  }
  function isMember(person: Person): boolean {
    return exists(person) && person.deletedAt === null
  }
  function isActive(person: Person): boolean {
    return isMember(person) && person.activatedAt !== null && person.disabledAt === null
  }
  /** Chooses an administrator. */
  function admin(): Person {
    return choose(company.admins) as Person
  }
  /** Records an event, from a device of the actor or of a stranger, and returns it. */
  function record(
    action: Action,
    actor: Person | null,
    kind: TargetKind,
    target: string | null,
    details: Details,
  ): Event {
    const device = deviceOf(actor ?? { number: Math.floor(random() * 9999) }, random())
    const event = { number: life.events.length, at: life.now, action, actor, kind, target, ...details, ...device }
    life.events.push(event)
    return event
  }
  function touch(changed: Person | Org | Role): void {
    changed.changedAt = life.now
    changed.version++
  }
  return life
}

/**
 * A browser and an address of a person: most use one device, some a second one. Addresses are of documentation
 * networks.
 */
function deviceOf({ number }: { number: number }, chosen: number): { ip: string; userAgent: string } {
  const device = chosen < 0.75 ? 0 : 1
  const host = spread(number, 207 + device)
  const network = pick(['192.0.2', '198.51.100', '203.0.113'], number, 209)
  const ip =
    host % 10 === 0
      ? `2001:db8:${hex(host & 0xff, 1)}:${hex((host >>> 8) & 0xff, 1)}::${hex((host >>> 16) & 0xff, 1)}`
      : `${network}.${1 + (host % 254)}`
  return { ip, userAgent: pick(userAgents, number + device * 3, 210) }
}
