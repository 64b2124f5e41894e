/** How AWS bills a product. */
export type PricingModel = 'contract' | 'contract-with-consumption' | 'subscription' | 'free'

/** `ending` is the hour after the end in which usage is still metered. */
export type SubscriptionStatus = 'pending' | 'active' | 'ending' | 'ended' | 'failed'

/** What an event says, by the detail type of EventBridge or the `action` of the SNS topics of older listings. */
export const eventKinds = [
  'license-updated',
  'license-deprovisioned',
  'agreement-created',
  'agreement-amended',
  'agreement-ended',
  'subscribe-success',
  'subscribe-fail',
  'unsubscribe-pending',
  'unsubscribe-success',
  'entitlement-updated',
] as const
export type EventKind = (typeof eventKinds)[number]

/** A stored event of one licence. All instants are ISO 8601 in UTC with milliseconds, so their order is that of text. */
export interface LicenseEvent {
  id: string
  kind: EventKind
  /** The time of the event at AWS. */
  at: string
  receivedAt: string
  agreementId: string | null
  /** `NEW`, `RENEW`, `REPLACE` or `AMEND`. */
  intent: string | null
  agreementStatus: string | null
  /** An SNS message may say that the offer has a free trial. */
  isTrial: boolean
}

/** An entitlement as GetEntitlements returned it. */
export interface EntitlementValue {
  dimension: string
  value: number | boolean | string | null
  expiresAt: string | null
}

/**
 * The latest answers of AWS about a licence. An empty answer of GetEntitlements after a full one keeps the entitlements,
 * expired at that time.
 */
export interface Observation {
  checkedAt: string
  entitlements: EntitlementValue[]
  /** The time of the first answer with entitlements. */
  entitledSince: string | null
  /** Null if the agreement is unknown or was not read. */
  agreement: { status: string; endsAt: string | null } | null
  /** Null without a free trial. */
  freeTrial: { endsAt: string | null; durationDays: number | null } | null
  /** Whether the terms of the agreement were read: only then does `freeTrial: null` mean that there is no trial. */
  hasTerms: boolean
}

/** The answers of one check. */
export interface Answer extends Pick<Observation, 'checkedAt' | 'entitlements'> {
  agreement?: Observation['agreement']
  /** Undefined if the terms were not read. */
  freeTrial?: Observation['freeTrial']
}

/** Returns what is known about a licence after another check; what was not asked stays. */
export function addAnswer(before: Observation | null, { checkedAt, entitlements, ...answer }: Answer): Observation {
  const clip = (expiresAt: string | null) => (expiresAt !== null && expiresAt < checkedAt ? expiresAt : checkedAt)
  const kept = before?.entitlements.map((one) => ({ ...one, expiresAt: clip(one.expiresAt) })) ?? []
  const entitledSince = entitlements.length > 0 ? checkedAt : null
  const agreement = answer.agreement === undefined ? before?.agreement : answer.agreement
  return {
    checkedAt,
    entitlements: entitlements.length > 0 ? entitlements : kept,
    entitledSince: before?.entitledSince ?? entitledSince,
    agreement: agreement ? { ...agreement, endsAt: findAgreementEnd(before, agreement, checkedAt) } : null,
    freeTrial: answer.freeTrial === undefined ? (before?.freeTrial ?? null) : answer.freeTrial,
    hasTerms: answer.freeTrial !== undefined || (before?.hasTerms ?? false),
  }
}

/** Returns when an agreement ended, at the latest when AWS first reported it as ended. */
function findAgreementEnd(
  before: Observation | null,
  { status, endsAt }: NonNullable<Observation['agreement']>,
  checkedAt: string,
): string | null {
  if (!endedStatuses.has(status)) return endsAt
  if (before?.agreement?.status === status) return before.agreement.endsAt
  return endsAt !== null && endsAt < checkedAt ? endsAt : checkedAt
}

export interface LicenseFacts {
  pricingModel: PricingModel
  events: LicenseEvent[]
  observation: Observation | null
  /** The buyer came with the offer type `free-trial`. */
  isTrialOffer: boolean
  /** The first time that BatchMeterUsage said `CustomerNotSubscribed`. */
  notSubscribedAt: string | null
}

export interface SubscriptionState {
  status: SubscriptionStatus
  trial: boolean
  trialEndsAt: string | null
  startsAt: string | null
  endsAt: string | null
  /** One hour after the first sign of the end. */
  finalMeteringUntil: string | null
  /** The agreement in force, or the last one. */
  agreementId: string | null
  lastEventAt: string | null
  /** An event says that something changed, and AWS has not been asked since. */
  needsCheck: boolean
  /** The next time at which the state changes without an event. */
  changesAt: string | null
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

const addMs = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString()

/** The end of the hour in which AWS still accepts usage after the end of a subscription. */
export const finalHourAfter = (instant: string): string => addMs(instant, hourMs)

/** AWS grants these by GetEntitlements; the others are granted by events alone. */
const isContract = (model: PricingModel) => model === 'contract' || model === 'contract-with-consumption'
const hasMetering = (model: PricingModel) => model === 'contract-with-consumption' || model === 'subscription'

/** The agreement continues in another one, so that its end is not the end of the licence. */
const successions = new Set(['RENEW', 'REPLACE', 'AMEND', 'RENEWED', 'REPLACED', 'SUPERSEDED'])
const endedStatuses = new Set(['CANCELLED', 'EXPIRED', 'TERMINATED', 'ROLLED_BACK'])

const isAgreementKind = (kind: EventKind) => kind.startsWith('agreement-')
const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the events by time, those of the licence before those of the agreement, then by id; each id once. */
function sortEvents(events: LicenseEvent[]): LicenseEvent[] {
  const unique = [...new Map(events.map((event) => [event.id, event])).values()]
  return unique.sort(
    (a, b) =>
      compareText(a.at, b.at) ||
      Number(isAgreementKind(a.kind)) - Number(isAgreementKind(b.kind)) ||
      compareText(a.id, b.id),
  )
}

/** What the events alone say. */
interface Signals {
  phase: 'none' | 'on' | 'ending' | 'off' | 'failed'
  startsAt: string | null
  /** The last sign of life after an end, which AWS must confirm for a contract. */
  restartedAt: string | null
  /** The first sign of the current end. */
  endsAt: string | null
  deprovisionedAt: string | null
  lastOnAt: string | null
  agreementId: string | null
  openAgreements: Set<string>
}

function readSignals(events: LicenseEvent[]): Signals {
  const signals: Signals = {
    phase: 'none',
    startsAt: null,
    restartedAt: null,
    endsAt: null,
    deprovisionedAt: null,
    lastOnAt: null,
    agreementId: null,
    openAgreements: new Set(),
  }
  for (const event of events) applyEvent(signals, event)
  return signals
}

function applyEvent(signals: Signals, event: LicenseEvent): void {
  const { kind, at, agreementId, agreementStatus } = event
  if (kind !== 'agreement-ended') signals.agreementId = agreementId ?? signals.agreementId
  switch (kind) {
    case 'license-updated':
    case 'subscribe-success':
      turnOn(signals, at)
      break
    case 'agreement-created':
      if (agreementStatus !== null && agreementStatus !== 'ACTIVE') break
      if (agreementId) signals.openAgreements.add(agreementId)
      if (signals.phase === 'none') turnOn(signals, at)
      break
    case 'agreement-ended':
      if (agreementId) signals.openAgreements.delete(agreementId)
      if (!isSuccession(event) && signals.openAgreements.size === 0) beginEnd(signals, at)
      break
    case 'unsubscribe-pending':
      beginEnd(signals, at)
      break
    case 'license-deprovisioned':
    case 'unsubscribe-success':
      if (signals.phase === 'off') break
      signals.phase = 'off'
      signals.endsAt ??= at
      signals.deprovisionedAt = at
      break
    case 'subscribe-fail':
      if (signals.phase === 'none') signals.phase = 'failed'
      break
    default:
    // The others say only that something changed, which is read from AWS.
  }
}

const isSuccession = ({ intent, agreementStatus }: LicenseEvent) =>
  successions.has(intent ?? '') || successions.has(agreementStatus ?? '')

/** A deprovisioned licence comes back only by a strictly newer sign. */
function turnOn(signals: Signals, at: string): void {
  if (signals.phase === 'off') {
    if (at === signals.deprovisionedAt) return
    signals.restartedAt = at
  }
  signals.phase = 'on'
  signals.startsAt ??= at
  signals.lastOnAt = at
  signals.endsAt = null
  signals.deprovisionedAt = null
}

function beginEnd(signals: Signals, at: string): void {
  if (signals.phase === 'off' || signals.phase === 'ending') return
  signals.phase = 'ending'
  signals.endsAt = at
}

/** A status with the first sign of the end. */
interface Outcome {
  status: SubscriptionStatus
  endsAt: string | null
}
const pending: Outcome = { status: 'pending', endsAt: null }
const active: Outcome = { status: 'active', endsAt: null }

/**
 * Derives the state of a licence at `now` from all its stored events and the latest answers of AWS. As the events are
 * sorted, neither duplicates nor the order of delivery matter. The answers of AWS replace lost events; for an
 * hour after a sign of the end, these do not count as a new beginning, because they may be older than the event.
 */
export function deriveState(facts: LicenseFacts, now: string): SubscriptionState {
  const events = sortEvents(facts.events)
  const signals = readSignals(events)
  const outcome = isContract(facts.pricingModel)
    ? resolveContract(signals, facts.observation, now)
    : resolveByEvents(signals, facts.observation, now)
  const finalMeteringUntil = outcome.endsAt && finalHourAfter(outcome.endsAt)
  const endedAt = outcome.status === 'ending' ? findEnd(outcome, facts, now) : null
  const status = endedAt !== null && endedAt <= now ? 'ended' : outcome.status
  const startsAt = signals.startsAt ?? facts.observation?.entitledSince ?? null
  const trial = readTrial(facts, startsAt, now)
  return {
    status,
    ...trial,
    startsAt,
    endsAt: readEnd(status, outcome, facts),
    finalMeteringUntil: status === 'pending' || status === 'active' || status === 'failed' ? null : finalMeteringUntil,
    agreementId: signals.agreementId ?? events.findLast(({ agreementId }) => agreementId)?.agreementId ?? null,
    lastEventAt: events.at(-1)?.at ?? null,
    needsCheck: needsCheck(facts),
    changesAt: findNextChange({ status, endedAt, trialEndsAt: trial.trialEndsAt }, facts, now),
  }
}

/** GetEntitlements decides about contracts. */
function resolveContract(signals: Signals, observation: Observation | null, now: string): Outcome {
  const entitlements = observation?.entitlements ?? []
  const isEntitled = entitlements.some(({ expiresAt }) => expiresAt === null || expiresAt > now)
  if (signals.phase === 'off' || signals.phase === 'ending') {
    const end = signals.deprovisionedAt ?? signals.endsAt
    if (isEntitled && isLaterAnswer(observation, end)) return active
    return { status: signals.phase === 'off' ? 'ended' : 'ending', endsAt: signals.endsAt }
  }
  const isConfirmed = observation !== null && observation.checkedAt >= (signals.restartedAt ?? '')
  if (isEntitled && isConfirmed) return active
  if (signals.restartedAt !== null && !isConfirmed) return pending
  const expiresAt = maxOf(entitlements.map((entitlement) => entitlement.expiresAt))
  if (expiresAt !== null) return { status: 'ending', endsAt: expiresAt }
  return resolveByAgreement(signals, observation) ?? (signals.phase === 'failed' ? failed : pending)
}

const failed: Outcome = { status: 'failed', endsAt: null }

/** Events decide about products without entitlements, and the agreement where events were lost. */
function resolveByEvents(signals: Signals, observation: Observation | null, now: string): Outcome {
  const { phase, endsAt } = signals
  const isInForce = observation?.agreement?.status === 'ACTIVE'
  if (phase === 'off' || phase === 'ending') {
    if (isInForce && isLaterAnswer(observation, signals.deprovisionedAt ?? endsAt)) return active
    return { status: phase === 'off' ? 'ended' : 'ending', endsAt }
  }
  const ended = resolveByAgreement(signals, observation)
  if (ended) return ended
  const isEntitled = observation?.entitlements.some(({ expiresAt }) => expiresAt === null || expiresAt > now)
  if (phase === 'on' || isInForce || isEntitled) return active
  return phase === 'failed' ? failed : pending
}

/** Returns the end of an agreement that AWS reports as ended, after the last sign of life. */
function resolveByAgreement({ lastOnAt }: Signals, observation: Observation | null): Outcome | undefined {
  const agreement = observation?.agreement
  if (!observation || !agreement || !endedStatuses.has(agreement.status)) return undefined
  if (lastOnAt !== null && observation.checkedAt < lastOnAt) return undefined
  return { status: 'ending', endsAt: agreement.endsAt ?? observation.checkedAt }
}

/** Reports whether an answer is so much later than the end that AWS knows about that. */
const isLaterAnswer = (observation: Observation | null, end: string | null) =>
  observation !== null && end !== null && observation.checkedAt > finalHourAfter(end)

/**
 * Returns when `ending` becomes `ended` without another event: after the final hour, and for a metered product once AWS
 * confirmed the end, or after a further day, when it accepts no usage any more.
 */
function findEnd({ endsAt }: Outcome, { pricingModel, observation, notSubscribedAt }: LicenseFacts, now: string) {
  if (endsAt === null) return null
  const finalHour = finalHourAfter(endsAt)
  if (!hasMetering(pricingModel)) return finalHour
  const hasEnded = observation !== null && observation.checkedAt >= endsAt && isOver(pricingModel, observation, now)
  const isConfirmed = hasEnded || (notSubscribedAt !== null && notSubscribedAt >= endsAt)
  return isConfirmed ? finalHour : addMs(finalHour, dayMs)
}

const isOver = (pricingModel: PricingModel, { entitlements, agreement }: Observation, now: string) =>
  (agreement !== null && endedStatuses.has(agreement.status)) ||
  (isContract(pricingModel) && entitlements.every(({ expiresAt }) => expiresAt !== null && expiresAt <= now))

/** The end of the last entitlement while active, else the sign of the end. */
function readEnd(status: SubscriptionStatus, outcome: Outcome, { pricingModel, observation }: LicenseFacts) {
  if (status === 'ending' || status === 'ended') return outcome.endsAt
  if (status !== 'active' || !isContract(pricingModel)) return null
  const ends = observation?.entitlements.map(({ expiresAt }) => expiresAt) ?? []
  return ends.includes(null) ? null : maxOf(ends)
}

/** The terms of the agreement decide about a trial once they are known. */
function readTrial({ events, observation, isTrialOffer }: LicenseFacts, startsAt: string | null, now: string) {
  const freeTrial = observation?.hasTerms ? observation.freeTrial : null
  const isOffered = observation?.hasTerms ? freeTrial !== null : isTrialOffer || events.some((event) => event.isTrial)
  const duration = freeTrial?.durationDays ?? null
  const trialEndsAt =
    freeTrial?.endsAt ?? (duration !== null && startsAt !== null ? addMs(startsAt, duration * dayMs) : null)
  return { trial: isOffered && (trialEndsAt === null || now < trialEndsAt), trialEndsAt }
}

/** Lists the events after which AWS must be asked: for the entitlements of a contract, or for the agreement. */
export const listAskingKinds = (pricingModel: PricingModel): EventKind[] =>
  eventKinds.filter((kind) => (isContract(pricingModel) ? kind !== 'license-deprovisioned' : isAgreementKind(kind)))

function needsCheck({ pricingModel, events, observation }: LicenseFacts): boolean {
  const kinds = new Set(listAskingKinds(pricingModel))
  return events.some(
    ({ kind, agreementId, receivedAt }) =>
      kinds.has(kind) &&
      (isContract(pricingModel) || agreementId !== null) &&
      (observation === null || receivedAt > observation.checkedAt),
  )
}

function findNextChange(
  { status, endedAt, trialEndsAt }: { status: SubscriptionStatus; endedAt: string | null; trialEndsAt: string | null },
  { observation }: LicenseFacts,
  now: string,
): string | null {
  const expiries = status === 'active' ? (observation?.entitlements.map(({ expiresAt }) => expiresAt) ?? []) : []
  const changes = [...expiries, status === 'ending' ? endedAt : null, trialEndsAt]
  return changes.filter((change) => change !== null && change > now).sort()[0] ?? null
}

const maxOf = (instants: (string | null)[]): string | null =>
  instants
    .filter((instant) => instant !== null)
    .sort()
    .at(-1) ?? null
