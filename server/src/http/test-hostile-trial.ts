import { Worker } from 'node:worker_threads'
import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import { addDemoUsers } from '../seed/demo-users.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import {
  createHostileBody,
  findPlaces,
  fits,
  type HostileValue,
  hostileValues,
  type Place,
} from './test-hostile-bodies.ts'
import type { Received, Sending } from './test-hostile-sender.ts'

const kilobyte = 1024
/** The size of each trial body, besides the limit of its endpoint. */
const defaultBytes = 100 * kilobyte
const maxAnswerBytes = 64 * kilobyte
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

/** Sends trials to a dedicated service; returns a sentence for each bound that a trial breaks. */
export interface Lab {
  attempt: (trial: Trial) => Promise<string[]>
  service: TestService
}

/** Starts a service with this many administrators, since most limits count calls per caller. */
export async function startTrialRunner(administrators: number): Promise<Lab> {
  const service = await startTestService()
  const people = Array.from({ length: administrators }, (_, index) => ({
    name: `admin${index}`,
    displayName: `Admin ${index}`,
    roles: ['Passport.Admin', 'Passport.Developer'],
  }))
  await addDemoUsers(service.sql, people, 'the password of every administrator')
  const worker = new Worker(new URL('./test-hostile-sender.ts', import.meta.url))
  onFileEnd(() => worker.terminate())
  const visitors: Visitor[] = await Promise.all(people.map(({ name }) => service.as(name as 'ada')))
  let turn = 0

  async function send(trial: Trial, type: string, body: Uint8Array<ArrayBuffer>) {
    for (let left = visitors.length; ; left--) {
      const index = turn % visitors.length
      const path = trial.endpoint.path.replace(/\{(user|profile)Id\}/, 'me').replace(/\{\w+(\.\.\.)?\}/g, 'x')
      const headers = {
        cookie: visitors[index]?.cookie ?? '',
        'content-type': type,
        'sec-fetch-site': 'same-origin',
      }
      const measured = await measure(worker, { url: service.url + path, method: trial.endpoint.method, headers, body })
      if ((measured.status !== 429 && measured.status !== 401) || left === 0) return measured
      // The previous trial signed them out.
      if (measured.status === 401) visitors[index] = await service.as(`admin${index}` as 'ada')
      else turn++
    }
  }

  return {
    service,
    attempt: async (trial) => {
      const { endpoint, place, value, bytes } = trial
      const hostile = endpoint.body && createHostileBody(endpoint.body, place, value, bytes)
      if (!hostile) return []
      const body = new TextEncoder().encode(hostile.text)
      if (body.length > bytes) return [`${describeTrial(trial)}: the body has ${body.length} bytes`]
      let broken: string[] = []
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const slowdown = measureSlowdown()
        const measured = await send(trial, hostile.type, body)
        broken = findBrokenBounds(
          measured,
          body.length,
          value.maxCpuMs ?? maxCpuMs,
          Math.max(slowdown, measureSlowdown()),
        )
        if (broken.length === 0) return []
      }
      return broken.map((bound) => `${describeTrial(trial)}: ${bound}`)
    },
  }
}

const describeTrial = ({ name, place, value, bytes }: Trial) =>
  `${value.name} in ${place.name || 'the body'} of ${name}, ${bytes} bytes`

interface Measured extends Received {
  cpuMs: number
  longestTickMs: number
}

/** The CPU time of the sample on an idle machine with two cores of 2026. */
const sampleMs = 12
const sample = Array.from({ length: 2000 }, (_, index) => ({
  id: `id-${index}`,
  name: 'a name',
  tags: ['a', 'b', index],
}))

/** The maximum slowdown from other work on the machine; anything beyond it is an error. */
const maxSlowdown = 5

/** Measures the current slowdown of this core relative to idle: shared cores and caches slow every process down. */
function measureSlowdown(): number {
  const before = cpuMs()
  for (let round = 0; round < 10; round++) JSON.parse(JSON.stringify(sample))
  return Math.min(maxSlowdown, Math.max(1, (cpuMs() - before) / sampleMs))
}

function findBrokenBounds(measured: Measured, sent: number, maxCpuMs: number, slowdown: number): string[] {
  const { status, bytes, text } = measured
  const cpuMs = measured.cpuMs / slowdown
  const longestTickMs = measured.longestTickMs / slowdown
  const maxResponseBytes = status < 400 ? Math.max(maxAnswerBytes, sent) : maxAnswerBytes
  const allowedCpuMs = maxCpuMs * Math.max(1, sent / defaultBytes)
  return [
    ...(status === 0 || status >= 500 ? [`responded ${status} ${text}`] : []),
    ...(bytes > maxResponseBytes ? [`responded ${status} with ${bytes} bytes`] : []),
    ...(cpuMs > allowedCpuMs ? [`took ${Math.round(cpuMs)} ms of CPU time`] : []),
    ...(longestTickMs > maxTickMs ? [`took ${Math.round(longestTickMs)} ms in one turn of the event loop`] : []),
  ]
}

/** The CPU time of this thread in milliseconds, excluding other work of the machine. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Sends from another thread. A timer fires at most once per turn of the event loop, so it measures the cost of each
 * turn.
 */
async function measure(worker: Worker, sending: Sending): Promise<Measured> {
  const before = cpuMs()
  let last = before
  let longestTickMs = 0
  const tick = () => {
    const now = cpuMs()
    longestTickMs = Math.max(longestTickMs, now - last)
    last = now
  }
  const timer = setInterval(tick, 1)
  const received = await new Promise<Received>((resolve) => {
    worker.once('message', resolve)
    worker.postMessage(sending)
  })
  tick()
  clearInterval(timer)
  return { ...received, cpuMs: cpuMs() - before, longestTickMs }
}
