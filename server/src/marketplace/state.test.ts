import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addAnswer,
  deriveState,
  type EventKind,
  type LicenseEvent,
  type LicenseFacts,
  type SubscriptionState,
} from './state.ts'
import { arbitraryHistory, expectConvergence } from './test-histories.ts'

test('events twice and in any order lead to the state of the run in order, and lost ones to the same access', () => {
  const numRuns = Math.max(300, Number(process.env['FC_RUNS'] ?? 0))
  fc.assert(fc.property(arbitraryHistory, expectConvergence), { numRuns })
})

/** The instant so many minutes after midnight. */
const at = (minutes: number) => new Date(Date.UTC(2026, 2, 1, 0, minutes)).toISOString()
const day = 24 * 60

let serial = 0
const event = (minutes: number, kind: EventKind, fields: Partial<LicenseEvent> = {}): LicenseEvent => ({
  id: `event-${String(++serial).padStart(4, '0')}`,
  kind,
  at: at(minutes),
  receivedAt: at(minutes),
  agreementId: kind.startsWith('agreement-') ? 'agmt-1' : null,
  intent: null,
  agreementStatus: kind === 'agreement-created' ? 'ACTIVE' : null,
  isTrial: false,
  ...fields,
})
const created = (minutes: number, fields: Partial<LicenseEvent> = {}) => event(minutes, 'agreement-created', fields)
const ended = (minutes: number, fields: Partial<LicenseEvent> = {}) =>
  event(minutes, 'agreement-ended', { agreementStatus: 'CANCELLED', ...fields })
const updated = (minutes: number) => event(minutes, 'license-updated')
const deprovisioned = (minutes: number) => event(minutes, 'license-deprovisioned')

const seats = (value: number, until: number) => [{ dimension: 'seats', value, expiresAt: at(until) }]
const answer = (minutes: number, fields: Partial<Parameters<typeof addAnswer>[1]> = {}) =>
  addAnswer(null, { checkedAt: at(minutes), entitlements: [], ...fields })

const derive = (minutes: number, facts: Partial<LicenseFacts>): SubscriptionState =>
  deriveState(
    { pricingModel: 'contract', events: [], observation: null, isTrialOffer: false, notSubscribedAt: null, ...facts },
    at(minutes),
  )
const statusOf = (minutes: number, facts: Partial<LicenseFacts>) => derive(minutes, facts).status

describe('a contract', () => {
  test('waits for its entitlements, which alone make it active', () => {
    expect(statusOf(5, { events: [created(0), updated(1)] })).toBe('pending')
    expect(statusOf(5, { events: [created(0), updated(1)], observation: answer(2) })).toBe('pending')
    const observation = answer(2, { entitlements: seats(5, 100) })
    expect(derive(5, { events: [], observation })).toMatchObject({ status: 'active', startsAt: at(2), endsAt: at(100) })
    expect(derive(5, { events: [updated(1)], observation })).toMatchObject({ status: 'active', startsAt: at(1) })
  })

  test('is ending for an hour after its last entitlement has expired, and then ended', () => {
    const facts = { events: [updated(1)], observation: answer(2, { entitlements: seats(5, 100) }) }
    expect(derive(99, facts)).toMatchObject({ status: 'active', changesAt: at(100), finalMeteringUntil: null })
    expect(derive(100, facts)).toMatchObject({ status: 'ending', changesAt: at(160), finalMeteringUntil: at(160) })
    expect(statusOf(159, facts)).toBe('ending')
    expect(derive(160, facts)).toMatchObject({ status: 'ended', changesAt: null, endsAt: at(100) })
  })

  test('ends when AWS returns no entitlements any more', () => {
    const before = answer(2, { entitlements: seats(5, day) })
    const observation = addAnswer(before, { checkedAt: at(50), entitlements: [] })
    expect(observation.entitlements).toEqual(seats(5, 50))
    expect(derive(55, { observation })).toMatchObject({ status: 'ending', endsAt: at(50) })
    expect(addAnswer(observation, { checkedAt: at(70), entitlements: [] }).entitlements).toEqual(seats(5, 50))
  })

  test('asks AWS after every event but the deprovisioning, once', () => {
    const events = [created(0), updated(1)]
    expect(derive(5, { events }).needsCheck).toBe(true)
    expect(derive(5, { events, observation: answer(1) }).needsCheck).toBe(false)
    const late = { ...event(1, 'agreement-amended'), receivedAt: at(3) }
    expect(derive(5, { events: [...events, late], observation: answer(2) }).needsCheck).toBe(true)
  })

  test('that was deprovisioned needs a newer answer of AWS to come back', () => {
    const events = [updated(1), deprovisioned(10), updated(12)]
    const before = answer(2, { entitlements: seats(5, day) })
    expect(statusOf(13, { events, observation: before })).toBe('pending')
    const observation = addAnswer(before, { checkedAt: at(13), entitlements: seats(6, day) })
    expect(statusOf(13, { events, observation })).toBe('active')
  })

  test('that AWS deprovisioned and still entitles after an hour has lost an event', () => {
    const events = [updated(1), deprovisioned(10)]
    const stale = answer(70, { entitlements: seats(5, day) })
    expect(statusOf(75, { events, observation: stale })).toBe('ended')
    expect(statusOf(75, { events, observation: { ...stale, checkedAt: at(71) } })).toBe('active')
    expect(statusOf(75, { events: [ended(10)], observation: { ...stale, checkedAt: at(71) } })).toBe('active')
  })
})

describe('pay-as-you-go', () => {
  const payAsYouGo = { pricingModel: 'subscription' as const }

  test.for([
    ['License Updated', [updated(1)], 'active'],
    ['Agreement Created', [created(1)], 'active'],
    ['an agreement that is not active', [created(1, { agreementStatus: 'CANCELLED' })], 'pending'],
    ['subscribe-success', [event(1, 'subscribe-success')], 'active'],
    ['subscribe-fail', [event(1, 'subscribe-fail')], 'failed'],
    ['subscribe-success after subscribe-fail', [event(1, 'subscribe-fail'), event(2, 'subscribe-success')], 'active'],
    ['no event', [], 'pending'],
    ['an amendment alone', [event(1, 'agreement-amended')], 'pending'],
  ] as const)('after %s', ([, events, status]) => {
    expect(statusOf(5, { ...payAsYouGo, events: [...events] })).toBe(status)
  })

  test.for([
    ['Agreement Ended', [updated(1), ended(10)], 'ending'],
    ['unsubscribe-pending', [updated(1), event(10, 'unsubscribe-pending')], 'ending'],
    ['License Deprovisioned', [updated(1), ended(10), deprovisioned(11)], 'ended'],
    ['License Deprovisioned before Agreement Ended', [updated(1), deprovisioned(9), ended(10)], 'ended'],
    ['both at the same time', [updated(1), ended(10), deprovisioned(10)], 'ended'],
    ['unsubscribe-success', [updated(1), event(10, 'unsubscribe-success')], 'ended'],
    ['License Updated at the time of the deprovisioning', [deprovisioned(10), updated(10)], 'ended'],
    ['License Updated at the time of Agreement Ended', [ended(10), updated(10)], 'ending'],
    ['License Updated within the hour', [updated(1), ended(10), updated(11)], 'active'],
    [
      'a resubscription instead of unsubscribe-success',
      [updated(1), event(9, 'unsubscribe-pending'), event(10, 'subscribe-success')],
      'active',
    ],
    ['Agreement Created after the deprovisioning', [updated(1), deprovisioned(9), created(10)], 'ended'],
    ['the end of an agreement that was renewed', [updated(1), ended(10, { agreementStatus: 'RENEWED' })], 'active'],
    ['the end of an agreement by an amendment', [updated(1), ended(10, { intent: 'AMEND' })], 'active'],
    ['the end of one of two agreements', [created(1), created(9, { agreementId: 'agmt-2' }), ended(10)], 'active'],
    ['subscribe-fail while active', [updated(1), event(10, 'subscribe-fail')], 'active'],
  ] as const)('after %s', ([, events, status]) => {
    expect(statusOf(20, { ...payAsYouGo, events: [...events] })).toBe(status)
    expect(statusOf(20, { ...payAsYouGo, events: [...events, ...events].reverse() })).toBe(status)
  })

  test('is metered for an hour after the first sign of the end, until AWS confirms it, and a day longer otherwise', () => {
    const events = [updated(1), ended(10), ended(30)]
    expect(derive(69, { ...payAsYouGo, events })).toMatchObject({ status: 'ending', finalMeteringUntil: at(70) })
    expect(statusOf(71, { ...payAsYouGo, events })).toBe('ending')
    expect(statusOf(71, { ...payAsYouGo, events, notSubscribedAt: at(65) })).toBe('ended')
    const observation = answer(20, { agreement: { status: 'CANCELLED', endsAt: at(10) } })
    expect(statusOf(71, { ...payAsYouGo, events, observation })).toBe('ended')
    expect(statusOf(69 + day, { ...payAsYouGo, events })).toBe('ending')
    expect(statusOf(70 + day, { ...payAsYouGo, events })).toBe('ended')
  })

  test('follows the agreement where events were lost', () => {
    const isIn = (status: string, checked: number) =>
      answer(checked, { agreement: { status, endsAt: status === 'ACTIVE' ? null : at(10) } })
    expect(statusOf(20, { ...payAsYouGo, observation: isIn('ACTIVE', 20) })).toBe('active')
    const lostEnd = { ...payAsYouGo, events: [created(1)] }
    expect(derive(20, { ...lostEnd, observation: isIn('CANCELLED', 20) })).toMatchObject({
      status: 'ending',
      endsAt: at(10),
    })
    expect(statusOf(20, { ...lostEnd, observation: isIn('RENEWED', 20) })).toBe('active')
    const lostRestart = { ...payAsYouGo, events: [created(1), ended(10), deprovisioned(11)] }
    expect(statusOf(80, { ...lostRestart, observation: isIn('ACTIVE', 71) })).toBe('ended')
    expect(statusOf(80, { ...lostRestart, observation: isIn('ACTIVE', 72) })).toBe('active')
    const olderAnswer = { ...payAsYouGo, events: [updated(30)], observation: isIn('CANCELLED', 20) }
    expect(statusOf(40, olderAnswer)).toBe('active')
  })
})

describe('a free trial', () => {
  test('is one by the form or a message until the terms are known, which decide', () => {
    expect(derive(5, { isTrialOffer: true })).toMatchObject({ trial: true, trialEndsAt: null })
    expect(derive(5, { events: [event(1, 'subscribe-success', { isTrial: true })] }).trial).toBe(true)
    expect(derive(5, { isTrialOffer: true, observation: answer(2, { freeTrial: null }) }).trial).toBe(false)
    const freeTrial = { endsAt: at(100), durationDays: 7 }
    expect(derive(5, { observation: answer(2, { freeTrial }) })).toMatchObject({ trial: true, trialEndsAt: at(100) })
  })

  test('lasts from the start of the subscription if AWS only says for how many days', () => {
    const facts = { events: [updated(1)], observation: answer(2, { freeTrial: { endsAt: null, durationDays: 7 } }) }
    const trialEndsAt = at(7 * day + 1)
    expect(derive(5, facts)).toMatchObject({ trial: true, trialEndsAt, changesAt: trialEndsAt })
    expect(derive(7 * day + 1, facts)).toMatchObject({ trial: false, trialEndsAt, changesAt: null })
  })
})
