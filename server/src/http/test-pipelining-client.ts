import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { parentPort } from 'node:worker_threads'

/** Measures `/healthz` in another thread, alone and beside requests that one connection sends at once. */
export interface PipeliningTrial {
  url: string
  /** The path of the requests at once. */
  path: string
  count: number
}

/** Milliseconds until the response, sorted. */
export interface PipeliningResult {
  alone: number[]
  beside: number[]
}

async function measureHealth(url: string, agent: Agent): Promise<number> {
  const startedAt = performance.now()
  await new Promise<void>((resolve, reject) => {
    get(`${url}/healthz`, { agent }, (incoming) => incoming.resume().on('end', resolve)).on('error', reject)
  })
  return performance.now() - startedAt
}

async function run({ url, path, count }: PipeliningTrial): Promise<PipeliningResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { host, port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let isComplete = false
  socket.resume().on('end', () => {
    isComplete = true
  })
  const alone: number[] = []
  for (let index = 0; index < 200; index++) alone.push(await measureHealth(url, agent))
  const request = (last = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${last}\r\n`
  socket.write(request().repeat(count - 1) + request('Connection: close\r\n'))
  const beside: number[] = []
  while (!isComplete) beside.push(await measureHealth(url, agent))
  agent.destroy()
  const sort = (times: number[]) => times.toSorted((a, b) => a - b)
  return { alone: sort(alone), beside: sort(beside) }
}

parentPort?.on('message', async (trial: PipeliningTrial) => parentPort?.postMessage(await run(trial)))
