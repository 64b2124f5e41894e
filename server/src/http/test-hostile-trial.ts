import { Worker } from 'node:worker_threads'
import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import { startAwsService } from '../marketplace/test-aws.ts'
import { addDemoUsers } from '../seed/demo-users.ts'
import { onFileEnd } from '../test-cleanups.ts'
import type { TestService, Visitor } from '../test-service.ts'
import {
  createHostileBody,
  findPlaces,
  fits,
  type HostileValue,
  hostileValues,
  type Place,
} from './test-hostile-bodies.ts'
import { type MeasuredResponse, measure, measureSlowdown } from './test-request-cost.ts'

const kilobyte = 1024
/** The size of each trial body, besides the limit of its endpoint. */
const defaultBytes = 100 * kilobyte
/** Any response may have this size. */
const smallResponseBytes = 64 * kilobyte
/** The maximum size of a response relative to its body: bulk endpoints repeat each item beside its result. */
const maxResponseRatio = 1.5
const maxCpuMs = 100
const maxTickMs = 250
/** The first attempts compile the code; only the last one counts. */
const maxAttempts = 3

/** A body for one place of one endpoint. */
export interface Trial {
  name: string
  endpoint: Endpoint
  place: Place
  value: HostileValue
  bytes: number
}

/**
 * Lists every hostile value for every endpoint with a body: at 100 KB in every place, and at the endpoint's limit in
 * the last matching place, which is the deepest.
 */
export function listTrials(): Trial[] {
  return [...endpoints].flatMap(([name, endpoint]) => {
    const { body } = endpoint
    if (!body) return []
    const limit = body.maxBytes ?? defaultBytes
    const places = findPlaces(body)
    return hostileValues.flatMap((value) => {
      const fitting = places.filter((place) => fits(body, place, value))
      const trials = fitting.map((place) => ({ name, endpoint, place, value, bytes: Math.min(defaultBytes, limit) }))
      const deepest = trials.at(-1)
      return deepest && limit > defaultBytes ? [...trials, { ...deepest, bytes: limit }] : trials
    })
  })
}

export interface TrialRunner {
  /** Sends the body of a trial to the service; returns a sentence for each bound that it violates. */
  runTrial: (trial: Trial) => Promise<string[]>
  service: TestService
}

/** Starts a service for trials. Most limits count calls per caller, so the administrators take turns. */
export async function startTrialRunner(administratorCount: number): Promise<TrialRunner> {
  const { service, eventKey } = await startAwsService({ products: [] })
  const administrators = Array.from({ length: administratorCount }, (_, index) => ({
    name: `admin${index}`,
    displayName: `Admin ${index}`,
    roles: ['Passport.Admin', 'Passport.Developer'],
  }))
  await addDemoUsers(service.sql, administrators, 'the password of every administrator')
  const worker = new Worker(new URL('./test-hostile-sender.ts', import.meta.url))
  onFileEnd(() => worker.terminate())
  const visitors: Visitor[] = await Promise.all(administrators.map(({ name }) => service.as(name as 'ada')))
  let turn = 0

  async function send(trial: Trial, type: string, body: Uint8Array<ArrayBuffer>) {
    for (let left = visitors.length; ; left--) {
      const index = turn % visitors.length
      const path = trial.endpoint.path.replace(/\{(user|profile)Id\}/, 'me').replace(/\{\w+(\.\.\.)?\}/g, 'x')
      const headers = {
        cookie: visitors[index]?.cookie ?? '',
        'content-type': type,
        'x-passport-webhook-key': eventKey,
        'sec-fetch-site': 'same-origin',
      }
      const measured = await measure(worker, { url: service.url + path, method: trial.endpoint.method, headers, body })
      if ((measured.status !== 429 && measured.status !== 401) || left === 0) return measured
      // The previous trial signed the administrator out.
      if (measured.status === 401) visitors[index] = await service.as(`admin${index}` as 'ada')
      else turn++
    }
  }

  return {
    service,
    runTrial: async (trial) => {
      const { endpoint, place, value, bytes } = trial
      const hostile = endpoint.body && createHostileBody(endpoint.body, place, value, bytes)
      if (!hostile) return []
      const body = new TextEncoder().encode(hostile.text)
      if (body.length > bytes) return [`${describeTrial(trial)}: the body has ${body.length} bytes`]
      let violations: string[] = []
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const slowdown = measureSlowdown()
        const measured = await send(trial, hostile.type, body)
        violations = findViolations(
          measured,
          body.length,
          value.maxCpuMs ?? maxCpuMs,
          Math.max(slowdown, measureSlowdown()),
        )
        if (violations.length === 0) return []
      }
      return violations.map((violation) => `${describeTrial(trial)}: ${violation}`)
    },
  }
}

const describeTrial = ({ name, place, value, bytes }: Trial) =>
  `${value.name} in ${place.name || 'the body'} of ${name}, ${bytes} bytes`

function findViolations(measured: MeasuredResponse, sentBytes: number, maxCpuMs: number, slowdown: number): string[] {
  const { status, bytes, text } = measured
  const cpuMs = measured.cpuMs / slowdown
  const longestTickMs = measured.longestTickMs / slowdown
  const maxResponseBytes =
    status < 400 ? Math.max(smallResponseBytes, maxResponseRatio * sentBytes) : smallResponseBytes
  const allowedCpuMs = maxCpuMs * Math.max(1, sentBytes / defaultBytes)
  return [
    ...(status === 0 || status >= 500 ? [`responded ${status} ${text}`] : []),
    ...(bytes > maxResponseBytes ? [`responded ${status} with ${bytes} bytes`] : []),
    ...(cpuMs > allowedCpuMs ? [`took ${Math.round(cpuMs)} ms of CPU time`] : []),
    ...(longestTickMs > maxTickMs ? [`took ${Math.round(longestTickMs)} ms in one turn of the event loop`] : []),
  ]
}
