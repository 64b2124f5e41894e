import { readTreeCpuSeconds } from '../cpu-time.ts'
import { createConnections, type HttpConnections } from './browser.ts'
import { createOperations, type Operation, type OperationName } from './operations.ts'
import { type Provider, userCount } from './peer.ts'

/** A provider under measurement. */
export interface Subject {
  name: string
  provider: Provider
  operations: Partial<Record<OperationName, Operation>>
  http: HttpConnections
}

/** The totals of several runs. */
export interface Load {
  operations: number
  seconds: number
  serverCpu: number
  databaseCpu: number
}

/** What a single client of a provider causes by one operation. */
export interface Cost {
  /** Undefined without a database. */
  statements: number | undefined
  /** Received bytes of all responses, with their headers. */
  bytes: number
}

const countedOperations = 10

export async function createSubject(name: string, provider: Provider): Promise<Subject> {
  const http = createConnections()
  return { name, provider, http, operations: await createOperations(provider, http) }
}

/** Repeats an operation over as many connections as there are users, for some seconds. */
async function measureLoad({ provider, http }: Subject, operation: Operation, seconds: number): Promise<Load> {
  const { pid, database } = provider
  http.renew()
  const clients = Array.from({ length: userCount }, (_, index) => index)
  await Promise.all(clients.map(operation.prepare ?? (async () => {})))
  const readServer = () => readTreeCpuSeconds(pid, database?.pid)
  const readDatabase = () => (database ? readTreeCpuSeconds(database.pid) : 0)
  const [serverCpu, databaseCpu] = [readServer(), readDatabase()]
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let operations = 0
  await Promise.all(
    clients.map(async (index) => {
      while (performance.now() < endsAt) {
        await operation.run(index)
        operations += 1
      }
    }),
  )
  return {
    operations,
    seconds: (performance.now() - startedAt) / 1000,
    serverCpu: readServer() - serverCpu,
    databaseCpu: readDatabase() - databaseCpu,
  }
}

/** Counts the statements and the received bytes of an operation, as the least of two runs of one client. */
async function measureCost({ provider, http }: Subject, operation: Operation): Promise<Cost> {
  const costs: Cost[] = []
  http.renew()
  for (let round = 0; round < 2; round++) {
    await operation.prepare?.(0)
    await operation.run(0)
    const received = http.receivedBytes()
    const work = async () => {
      for (let index = 0; index < countedOperations; index++) await operation.run(0)
    }
    const statements = provider.database ? await provider.database.countStatements(work) : undefined
    if (!provider.database) await work()
    costs.push({
      statements: statements === undefined ? undefined : statements / countedOperations,
      bytes: (http.receivedBytes() - received) / countedOperations,
    })
  }
  return costs.reduce((least, cost) => ((cost.statements ?? 0) < (least.statements ?? 0) ? cost : least))
}

/** Adds the totals of further runs. */
const addLoads = (loads: Load[]): Load =>
  loads.reduce((sum, load) => ({
    operations: sum.operations + load.operations,
    seconds: sum.seconds + load.seconds,
    serverCpu: sum.serverCpu + load.serverCpu,
    databaseCpu: sum.databaseCpu + load.databaseCpu,
  }))

export interface Measurement {
  load: Load
  cost: Cost
}

/** The figures of each provider, by its name and the operation. */
export type Measurements = Map<string, Partial<Record<OperationName, Measurement>>>

/**
 * Measures the operations of all providers in alternating rounds, after a warm-up. An operation that fails is left out,
 * and its error printed.
 */
export async function measureAll(
  subjects: Subject[],
  operationNames: readonly OperationName[],
  { rounds, seconds, warmUpSeconds }: { rounds: number; seconds: number; warmUpSeconds: number },
): Promise<Measurements> {
  const measurements: Measurements = new Map(subjects.map(({ name }) => [name, {}]))
  const attempt = async <T>(subject: Subject, name: OperationName, work: (operation: Operation) => Promise<T>) => {
    const operation = subject.operations[name]
    try {
      return operation && (await work(operation))
    } catch (error) {
      console.error(`${subject.name}, ${name}: ${error instanceof Error ? error.message : error}`)
      delete subject.operations[name]
      return undefined
    }
  }
  // Programs compiled at run time are slow at first.
  for (const name of operationNames)
    for (const subject of subjects)
      await attempt(subject, name, (operation) => measureLoad(subject, operation, warmUpSeconds))
  // So are the plans of nearly empty tables.
  for (const { provider } of subjects) await provider.database?.analyze()
  for (const name of operationNames) {
    const loads = new Map<Subject, Load[]>(subjects.map((subject) => [subject, []]))
    for (let round = 0; round < rounds; round++)
      for (const [subject, own] of loads) {
        const load = await attempt(subject, name, (operation) => measureLoad(subject, operation, seconds))
        if (load) own.push(load)
      }
    for (const [subject, own] of loads) {
      const cost = await attempt(subject, name, (operation) => measureCost(subject, operation))
      const figures = measurements.get(subject.name)
      if (cost && figures) figures[name] = { load: addLoads(own), cost }
    }
  }
  return measurements
}
