import type { TracePartKind, TraceStepName } from '@passport/contract/sign-in-traces'
import { v7 as uuid } from 'uuid'
import { toStorableText } from '../http/storable-text.ts'
import type { Visit } from '../http/visit.ts'
import { hashToken } from '../vault.ts'
import { redact } from './redact.ts'
import type { StoredStep, TraceRow } from './store.ts'

type Detail = Record<string, string | number | boolean | null | undefined>

/** What a sign-in is about, as far as it is known. */
interface Subject {
  provider?: string | undefined
  client?: string | undefined
  userId?: string | undefined
  domain?: string | undefined
}

/** What the requests of one sign-in have in common. */
type KeyKind = 'state' | 'interaction' | 'code' | 'device'

const maxSteps = 40

/** Formats and redacts details; omits empty ones. */
const toTexts = (detail: Detail): Record<string, string> =>
  Object.fromEntries(
    Object.entries(detail).flatMap(([key, value]) =>
      value === undefined || value === null || value === '' ? [] : [[key, redact(String(value))]],
    ),
  )

/** The steps of one request of a sign-in. Costs no statement: a recorder saves it after the response. */
export class Trace {
  readonly visit: Visit
  readonly #startedAt: number
  readonly #kind: TracePartKind
  readonly #steps: StoredStep[] = []
  readonly #keys = new Set<string>()
  readonly #subject: Subject = {}
  #result: TraceRow['result'] = 'pending'
  #reason: string | null = null
  /** The step in progress, which a failure is attributed to. */
  #current: TraceStepName | undefined

  constructor(kind: TracePartKind, visit: Visit, startedAt = Date.now()) {
    this.#kind = kind
    this.#startedAt = startedAt
    this.visit = visit
  }

  /** Links this request with others of the same sign-in. Only a hash of the value is kept. */
  link(kind: KeyKind, value: string | undefined): this {
    if (value) this.#keys.add(`${kind}:${hashToken(value).slice(0, 22)}`)
    return this
  }

  about(subject: Subject): this {
    for (const [name, value] of Object.entries(subject)) if (value) this.#subject[name as keyof Subject] = value
    return this
  }

  /** Begins a step: if the request fails before the next one, then at this step. */
  begin(name: TraceStepName): this {
    this.#current = name
    return this
  }

  /** Adds a successful step. */
  pass(name: TraceStepName, detail: Detail = {}): this {
    this.#current = undefined
    return this.#add(name, false, detail)
  }

  succeed(): this {
    this.#result = 'succeeded'
    return this
  }

  /** Records the failure, at the step in progress unless `name` is another. The first failure counts. */
  fail(reason: string, detail: Detail = {}, name: TraceStepName = this.#current ?? 'request-received'): this {
    if (this.#result === 'failed') return this
    this.#result = 'failed'
    this.#reason = reason
    const rejected = this.#steps.at(-1)
    if (rejected?.isFailed) Object.assign(rejected.detail, toTexts(detail))
    else this.#add(name, true, detail)
    return this
  }

  /** Adds a failed check, before `fail` records its consequence. */
  reject(name: TraceStepName, detail: Detail): this {
    this.#current = undefined
    return this.#add(name, true, detail)
  }

  /** The code of the failure; null unless it failed. */
  get reason(): string | null {
    return this.#reason
  }

  #add(name: TraceStepName, isFailed: boolean, detail: Detail): this {
    if (this.#steps.length >= maxSteps) return this
    this.#steps.push({ name, ms: Date.now() - this.#startedAt, isFailed, detail: toTexts(detail) })
    return this
  }

  toRow(): TraceRow {
    const { provider = null, client = null, userId = null, domain = null } = this.#subject
    return {
      id: uuid(),
      at: new Date(this.#startedAt).toISOString(),
      traceId: this.visit.traceId,
      supportCode: this.visit.requestId.slice(0, 8),
      kind: this.#kind,
      result: this.#result,
      reason: this.#reason,
      keys: [...this.#keys],
      provider,
      clientId: client === null ? null : toStorableText(client, 256),
      userId,
      domain,
      ip: this.visit.ip,
      userAgent: this.visit.userAgent.slice(0, 256),
      steps: this.#steps,
    }
  }
}
