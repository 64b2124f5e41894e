import type { Action, TargetKind } from '@passport/contract/audit'
import type { JsonObject } from '../audit/store.ts'
import type { Company, Group, Org, RelativeTime, Role, User } from './company.ts'
import { userAgents } from './company-names.ts'
import { hashNumber, pick, toFraction, toHex } from './generated-directory.ts'

/* The state of the simulated activity of a company: the current time, the random choices and the recorded events. */

export interface Event {
  number: number
  at: RelativeTime
  action: Action
  actor: User | null
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
export const subjectOf = ({ number }: User) => toHex(hashNumber(number, 16), 8) + toHex(number, 8)
export const domainOf = ({ slug }: Org) => `${slug}.example`

export type Simulation = ReturnType<typeof createSimulation>

/** Creates the simulation of the last thirty days of a company. The caller sets `now` before each change. */
export function createSimulation(company: Company) {
  const simulation = {
    company,
    now: 0 as RelativeTime,
    events: [] as Event[],
    random,
    choose,
    find,
    exists,
    isActive,
    isMember,
    chooseAdmin,
    record,
    touch,
  }
  let drawn = 0
  /** Returns the next number of a deterministic sequence, from 0 up to 1. All choices use it. */
  function random(): number {
    return toFraction(drawn++, 200)
  }
  function choose<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(random() * all.length)]
  }
  /** Chooses an item that meets the condition; undefined if 60 attempts find none. */
  function find<T>(all: readonly T[], meets: (item: T) => boolean): T | undefined {
    for (let attempt = 0; attempt < 60; attempt++) {
      const item = choose(all)
      if (item !== undefined && meets(item)) return item
    }
    return undefined
  }
  function exists({ createdAt }: { createdAt: RelativeTime }): boolean {
    return createdAt <= simulation.now
  }
  function isMember(user: User): boolean {
    return exists(user) && user.deletedAt === null
  }
  function isActive(user: User): boolean {
    return isMember(user) && user.activatedAt !== null && user.disabledAt === null
  }
  function chooseAdmin(): User {
    return choose(company.admins) as User
  }
  /** Records an event from a device of the actor, or without an actor from that of a stranger; returns it. */
  function record(
    action: Action,
    actor: User | null,
    kind: TargetKind,
    target: string | null,
    details: Details,
  ): Event {
    const device = chooseDevice(actor ?? { number: Math.floor(random() * 9999) }, random())
    const event = {
      number: simulation.events.length,
      at: simulation.now,
      action,
      actor,
      kind,
      target,
      ...details,
      ...device,
    }
    simulation.events.push(event)
    return event
  }
  function touch(changed: User | Org | Group | Role): void {
    changed.changedAt = simulation.now
    changed.version++
  }
  return simulation
}

/**
 * Returns the browser and IP address of a user's device. `choice` is from 0 up to 1: three of four events come from the
 * first device. The addresses are reserved for documentation (RFC 5737, RFC 3849).
 */
function chooseDevice({ number }: { number: number }, choice: number): { ip: string; userAgent: string } {
  const device = choice < 0.75 ? 0 : 1
  const host = hashNumber(number, 207 + device)
  const network = pick(['192.0.2', '198.51.100', '203.0.113'], number, 209)
  const ip =
    host % 10 === 0
      ? `2001:db8:${toHex(host & 0xff, 1)}:${toHex((host >>> 8) & 0xff, 1)}::${toHex((host >>> 16) & 0xff, 1)}`
      : `${network}.${1 + (host % 254)}`
  return { ip, userAgent: pick(userAgents, number + device * 3, 210) }
}
