import { Agent, request } from 'node:http'

/** How long answers took, in milliseconds. */
export interface AnswerTimes {
  count: number
  p50: number
  p99: number
}

/** What is asked, and which answer is the right one. */
export interface Asked {
  path: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: unknown
  /** 200 unless told. */
  status?: number
}

const connections = 16

/**
 * Asks one thing after the other over 16 connections for some seconds, each what `next` says; throws for the first answer
 * that is not the right one, as its speed would then mean nothing. Finer than whole milliseconds, which load tools count in.
 */
export async function answerTimes(
  url: string,
  headers: Record<string, string>,
  next: () => Asked,
  seconds: number,
): Promise<AnswerTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  async function askOn() {
    while (performance.now() < end) {
      const asked = next()
      const since = performance.now()
      const { status, body } = await ask(agent, url, headers, asked)
      times.push(performance.now() - since)
      if (status !== (asked.status ?? 200)) throw new Error(`${asked.path} answered ${status}: ${body.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, askOn))
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return { count: times.length, p50: at(0.5), p99: at(0.99) }
}

function ask(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  { path, method = 'GET', body, ...more }: Asked,
) {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const type =
    sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asking = request(
      new URL(path, url),
      { agent, method, headers: { ...headers, ...type, ...more.headers } },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
      },
    )
    asking.on('error', reject)
    asking.end(sent)
  })
}

/** The middle of an odd number of rounds, for each figure by itself: one disturbed round does not count. */
export function middleOf(rounds: AnswerTimes[]): AnswerTimes {
  const middle = (figure: keyof AnswerTimes) =>
    rounds.map((round) => round[figure]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN
  return { count: middle('count'), p50: middle('p50'), p99: middle('p99') }
}
