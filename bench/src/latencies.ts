import { Agent, request } from 'node:http'
import { median, percentile } from './percentile.ts'

/** Response times, in milliseconds. */
export interface Latencies {
  count: number
  p50: number
  p99: number
}

/** A request and its expected status. */
export interface BenchRequest {
  path: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: unknown
  /** 200 by default. */
  status?: number
}

const connections = 16

/**
 * Sends the requests from `next` over 16 connections for some seconds. Throws for an unexpected status, because its
 * latency would be meaningless. Load test tools would round the times to milliseconds.
 */
export async function measureLatencies(
  url: string,
  headers: Record<string, string>,
  next: () => BenchRequest,
  seconds: number,
): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  async function sendUntilEnd() {
    while (performance.now() < end) {
      const benchRequest = next()
      const startedAt = performance.now()
      const { status, body } = await sendRequest(agent, url, headers, benchRequest)
      times.push(performance.now() - startedAt)
      if (status !== (benchRequest.status ?? 200))
        throw new Error(`${benchRequest.path} returned ${status}: ${body.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, sendUntilEnd))
  agent.destroy()
  return { count: times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

function sendRequest(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  { path, method = 'GET', body, ...options }: BenchRequest,
) {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const type =
    payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const clientRequest = request(
      new URL(path, url),
      { agent, method, headers: { ...headers, ...type, ...options.headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      },
    )
    clientRequest.on('error', reject)
    clientRequest.end(payload)
  })
}

/** Returns the median of each figure, so that one disturbed round does not count. The number of rounds must be odd. */
export function findMedianLatencies(rounds: Latencies[]): Latencies {
  const medianOf = (figure: keyof Latencies) => median(rounds.map((round) => round[figure]))
  return { count: medianOf('count'), p50: medianOf('p50'), p99: medianOf('p99') }
}
