import { fetchPeers } from './fetch-peers.ts'
import { startGlewlwyd } from './glewlwyd.ts'
import { startKeycloak } from './keycloak.ts'
import { createSubject, type Measurement, type Measurements, measureAll, type Subject } from './measure.ts'
import { type OperationName, operationNames } from './operations.ts'
import { startPassport } from './passport.ts'
import type { Provider } from './peer.ts'
import { startPlain } from './plain.ts'

const run = { rounds: 3, seconds: 2.5, warmUpSeconds: 4 }

const starts: Record<string, () => Promise<Provider | undefined>> = {
  Passport: () => startPassport(),
  Keycloak: startKeycloak,
  'oidc-provider': startPlain,
  glewlwyd: startGlewlwyd,
}

/** How many times cheaper than another provider an operation should be, in CPU time of server and database. */
const goals: Record<OperationName, [peer: string, ratio: number]> = {
  'client credentials': ['Keycloak', 6],
  refresh: ['Keycloak', 6],
  introspection: ['Keycloak', 2],
  'user info': ['Keycloak', 2],
  'sign-in, cheap hash': ['Keycloak', 2.5],
  'sign-in, default hash': ['Keycloak', 2],
  'code, signed in': ['Keycloak', 3],
  'device poll, pending': ['Keycloak', 1.5],
  discovery: ['glewlwyd', 1],
  JWKS: ['glewlwyd', 1],
}

/** The most statements of an operation. */
const maxStatements: Partial<Record<OperationName, number>> = {
  'client credentials': 1,
  refresh: 2,
  introspection: 1,
  'user info': 1,
  'sign-in, cheap hash': 14,
  'sign-in, default hash': 14,
  'code, signed in': 4,
  'device poll, pending': 1,
}

/**
 * Measures the operations of Passport and of the other providers that are on this machine, side by side. `--peers`
 * fetches the others first, `--only` names an operation and may be repeated. Throws for an unknown name.
 */
export async function measureProvider({ isFetching = false, only = [] as string[] } = {}): Promise<string> {
  const unknown = only.find((name) => !operationNames.includes(name as OperationName))
  if (unknown !== undefined) throw new Error(`Unknown operation ${unknown}. Operations: ${operationNames.join('; ')}.`)
  const measured = operationNames.filter((name) => only.length === 0 || only.includes(name))
  if (isFetching) await fetchPeers()
  const subjects: Subject[] = []
  const providers: Provider[] = []
  try {
    for (const [name, start] of Object.entries(starts)) {
      const provider = await start()
      if (!provider) continue
      providers.push(provider)
      subjects.push(await createSubject(name, provider))
    }
    return formatMeasurements(await measureAll(subjects, measured, run), measured)
  } finally {
    for (const { http } of subjects) http.close()
    for (const { stop } of providers) await stop()
  }
}

const cpuOf = ({ load }: Measurement) => ((load.serverCpu + load.databaseCpu) * 1000) / load.operations

function formatMeasurements(measurements: Measurements, measured: OperationName[]): string {
  const find = (provider: string, operation: OperationName) => measurements.get(provider)?.[operation]
  const ratioTo = (peer: string, operation: OperationName) => {
    const [own, other] = [find('Passport', operation), find(peer, operation)]
    return own && other ? cpuOf(other) / cpuOf(own) : undefined
  }
  const table = (
    title: string,
    format: (figures: Measurement) => string,
    verdict: (operation: OperationName) => string,
  ) =>
    [
      [title, ...Object.keys(starts)],
      ...measured.map((operation) => [
        operation,
        ...Object.keys(starts).map((provider) => {
          const figures = find(provider, operation)
          return figures ? format(figures) : measurements.has(provider) ? '–' : 'not present'
        }),
        verdict(operation),
      ]),
    ]
      .map(([label = '', ...cells]) => label.padEnd(38) + formatCells(cells))
      .join('\n')
  const judge = (operation: OperationName) => {
    const [peer, goal] = goals[operation]
    const ratio = ratioTo(peer, operation)
    if (ratio === undefined) return `${peer} is not present`
    return `${ratio.toFixed(1)} × ${peer}, ${ratio >= goal ? 'within' : 'MISSED'} ≥ ${goal}`
  }
  const judgeStatements = (operation: OperationName) => {
    const most = maxStatements[operation]
    const statements = find('Passport', operation)?.cost.statements
    if (most === undefined || statements === undefined) return ''
    // Background work adds a fraction of a statement.
    return `${Math.floor(statements) <= most ? 'within' : 'MISSED'} ≤ ${most}`
  }
  const milliseconds = (seconds: number, { operations }: { operations: number }) =>
    ((seconds * 1000) / operations).toFixed(2)
  const ratios = (operation: OperationName) =>
    Object.keys(starts)
      .slice(1)
      .map((peer) => {
        const ratio = ratioTo(peer, operation)
        return `${ratio === undefined ? '–' : ratio.toFixed(2)} × ${peer}`
      })
      .join('  ')
  return [
    table('CPU per operation, ms', (figures) => cpuOf(figures).toFixed(3), judge),
    table(
      '  of the server and of the database',
      ({ load }) => `${milliseconds(load.serverCpu, load)} + ${milliseconds(load.databaseCpu, load)}`,
      ratios,
    ),
    table('statements', ({ cost }) => cost.statements?.toFixed(1) ?? '–', judgeStatements),
    table(
      'bytes received',
      ({ cost }) => Math.round(cost.bytes).toLocaleString('en'),
      () => '',
    ),
    table(
      'operations a second',
      ({ load }) => Math.round(load.operations / load.seconds).toLocaleString('en'),
      () => '',
    ),
  ].join('\n\n')
}

function formatCells(cells: string[]): string {
  const count = Object.keys(starts).length
  const verdict = cells.slice(count).join('')
  return (
    cells
      .slice(0, count)
      .map((cell) => cell.padStart(15))
      .join('') + (verdict && `   ${verdict}`)
  )
}
