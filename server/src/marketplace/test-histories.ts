import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type Answer,
  addAnswer,
  deriveState,
  type EntitlementValue,
  type LicenseEvent,
  type Observation,
  type PricingModel,
  type SubscriptionState,
} from './state.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const start = Date.parse('2026-03-01T00:00:00Z')
const toInstant = (ms: number) => new Date(start + ms).toISOString()

/** What happens to a licence at AWS. */
const actions = ['amend', 'renew', 'cancel', 'deprovision-first', 'resubscribe', 'expire', 'notice'] as const

/** A purchase, the actions after it, and the deliveries of its events. */
type History = typeof arbitraryHistory extends fc.Arbitrary<infer T> ? T : never

/** A licence at AWS: its events in their order, and what AWS answers at any time. */
export interface License {
  pricingModel: PricingModel
  events: Omit<LicenseEvent, 'receivedAt'>[]
  endsAt: number
  answerAt: (ms: number, agreementId: string | null) => Answer
}

interface Change {
  at: number
  entitlements: EntitlementValue[]
  agreements: Record<string, { status: string; endsAt: string | null }>
}

/** Simulates AWS: a purchase, and then actions some days apart. Its answers are older than its events by `lagMs`. */
function simulate({ pricingModel, steps, isTrial, lagMs }: Omit<History, 'deliveries'>): License {
  const isContract = pricingModel === 'contract' || pricingModel === 'contract-with-consumption'
  const events: License['events'] = []
  const changes: Change[] = []
  let agreements: Change['agreements'] = {}
  let current = 0
  let isOn = false
  const expiry = (at: number) => toInstant(at + 365 * dayMs)
  const emit = (at: number, kind: LicenseEvent['kind'], fields: Partial<LicenseEvent> = {}) => {
    const agreementId = fields.agreementId ?? `agmt-${current}`
    const defaults = { intent: null, agreementStatus: null, isTrial: false }
    events.push({ ...defaults, ...fields, id: `event-${events.length}`, kind, at: toInstant(at), agreementId })
  }
  const change = (at: number, entitlements: EntitlementValue[], agreement: Change['agreements']) => {
    agreements = { ...agreements, ...agreement }
    changes.push({ at, entitlements: isContract ? entitlements : [], agreements })
  }
  const seats = (value: number, at: number): EntitlementValue[] => [
    { dimension: 'seats', value, expiresAt: expiry(at) },
  ]
  const agree = (at: number, intent: string, quantity: number) => {
    current += 1
    change(at, seats(quantity, at), { [`agmt-${current}`]: { status: 'ACTIVE', endsAt: null } })
    emit(at, 'agreement-created', { intent, agreementStatus: 'ACTIVE' })
    emit(at + 5_000, 'license-updated')
    isOn = true
  }
  const end = (at: number, agreementStatus: string, isLicenseFirst: boolean) => {
    isOn = false
    change(at, [], { [`agmt-${current}`]: { status: agreementStatus, endsAt: toInstant(at) } })
    const [ended, deprovisioned] = isLicenseFirst ? [at, at] : [at, at + hourMs / 2]
    emit(ended, 'agreement-ended', { intent: 'NEW', agreementStatus })
    emit(deprovisioned, 'license-deprovisioned')
  }

  agree(0, 'NEW', 1)
  let at = 0
  for (const { action, quantity } of steps) {
    at += 3 * dayMs
    if (events.length > 9) break
    if (action === 'resubscribe' && !isOn) agree(at, 'NEW', quantity)
    if (!isOn) continue
    if (action === 'amend') {
      change(at, seats(quantity, at), {})
      emit(at, 'agreement-amended', { intent: 'AMEND', agreementStatus: 'ACTIVE' })
      emit(at, 'license-updated')
    }
    if (action === 'renew' && isContract) {
      const before = `agmt-${current}`
      change(at, seats(quantity, at), { [before]: { status: 'RENEWED', endsAt: toInstant(at) } })
      agree(at, 'RENEW', quantity)
      emit(at, 'agreement-ended', { agreementId: before, intent: 'RENEW', agreementStatus: 'RENEWED' })
    }
    if (action === 'cancel') end(at, 'CANCELLED', false)
    if (action === 'deprovision-first') end(at, 'TERMINATED', true)
    if (action === 'expire') end(at, 'EXPIRED', false)
  }
  const answerAt = (ms: number, agreementId: string | null): Answer => {
    const latest = changes.findLast((one) => one.at <= ms - lagMs)
    return {
      checkedAt: toInstant(ms),
      entitlements: latest?.entitlements ?? [],
      ...(agreementId !== null && {
        agreement: latest?.agreements[agreementId] ?? null,
        freeTrial: isTrial ? { endsAt: toInstant(30 * dayMs), durationDays: 30 } : null,
      }),
    }
  }
  return { pricingModel, events, endsAt: at + 4 * dayMs, answerAt }
}

/** The deliveries of an event: the times from its occurrence until it arrives; none if it is lost. */
type Delays = number[]

export const arbitraryHistory = fc.record({
  lagMs: fc.constantFrom(0, hourMs / 6),
  pricingModel: fc.constantFrom<PricingModel>('contract', 'contract-with-consumption', 'subscription', 'free'),
  steps: fc.array(fc.record({ action: fc.constantFrom(...actions), quantity: fc.integer({ min: 1, max: 99 }) }), {
    maxLength: 8,
  }),
  isTrial: fc.boolean(),
  deliveries: fc.array(fc.array(fc.integer({ min: 0, max: dayMs }), { maxLength: 3 }), {
    minLength: 12,
    maxLength: 12,
  }),
})

/** Runs a licence with the given deliveries and a check every night; returns the state days after the last event. */
function run({ pricingModel, events, endsAt, answerAt }: License, delaysOf: (index: number) => Delays) {
  const arrivals = events.flatMap((event, index) =>
    delaysOf(index).map((delay) => ({ at: Date.parse(event.at) - start + 1_000 + delay, event })),
  )
  const nights = Array.from({ length: endsAt / dayMs }, (_, night) => ({ at: (night + 1) * dayMs, event: undefined }))
  const stored: LicenseEvent[] = []
  let observation: Observation | null = null
  const derive = (ms: number): SubscriptionState =>
    deriveState(
      { pricingModel, events: stored, observation, isTrialOffer: false, notSubscribedAt: null },
      toInstant(ms),
    )
  for (const { at, event } of [...arrivals, ...nights].sort((a, b) => a.at - b.at)) {
    if (event) stored.push({ ...event, receivedAt: toInstant(at) })
    const state = derive(at)
    if (!event || state.needsCheck) observation = addAnswer(observation, answerAt(at, state.agreementId))
  }
  return { state: derive(endsAt + 1), entitlements: observation?.entitlements ?? [] }
}

/** Returns the results of the run in order, of one with duplicates and reordered events, and of one with losses too. */
function runHistory({ deliveries, ...purchase }: History) {
  const license = simulate(purchase)
  // AWS cannot be asked about an agreement that no event named.
  const firsts = new Set(
    [...Map.groupBy(license.events.keys(), (index) => license.events[index]?.agreementId).values()]
      .filter((indexes) => indexes.every((index) => deliveries[index]?.length === 0))
      .map(([first]) => first),
  )
  const delaysOf = (index: number) => deliveries[index] ?? []
  return {
    license,
    inOrder: run(license, () => [0]),
    reordered: run(license, (index) => (delaysOf(index).length > 0 ? delaysOf(index) : [0])),
    lossy: run(license, (index) => (firsts.has(index) ? [0] : delaysOf(index))),
  }
}

/** Expects the state of the run in order from the others; with losses, the same access. */
export function expectConvergence(history: History): void {
  const { inOrder, reordered, lossy } = runHistory(history)
  expect(reordered.state).toEqual(inOrder.state)
  expect(toAccess(reordered)).toEqual(toAccess(inOrder))
  expect(toAccess(lossy)).toEqual(toAccess(inOrder))
}

const toAccess = ({ state: { status, trial }, entitlements }: ReturnType<typeof run>) => ({
  status,
  trial,
  entitlements: status === 'active' ? entitlements : [],
})
