import { lookupSizes } from './permission-data.ts'

/** For how long an answer is waited for, in milliseconds. */
export const mostMs = 120_000

/** What one part measured, by what it is called below; what took longer than that is infinite. */
export type Figures = Record<string, number>

interface Measured {
  key: string
  what: string
  unit: 'a second' | 'ms' | 's' | 'µs' | 'bytes' | 'MB' | '%'
  /** No less than it where more is better, no more where less is. */
  goal?: number
}

const groups: { title: string; measured: Measured[] }[] = [
  {
    title: 'in process, for a second of a core',
    measured: [
      { key: 'hits', what: 'checks, yes', unit: 'a second', goal: 50_000 },
      { key: 'hitsP99', what: '  p99', unit: 'ms', goal: 0.2 },
      { key: 'misses', what: 'checks, no', unit: 'a second', goal: 50_000 },
      { key: 'missesP99', what: '  p99', unit: 'ms', goal: 0.2 },
      ...lookupSizes.map((size) => lookup('resources', size, size === 10_000 ? 40 : undefined)),
      ...lookupSizes.map((size) => lookup('subjects', size, size === 1000 ? 2 : undefined)),
      { key: 'traceP50', what: 'check with its trace, p50', unit: 'ms' },
      { key: 'traceP99', what: '  p99', unit: 'ms', goal: 1 },
      { key: 'bytes', what: 'memory of a relationship', unit: 'bytes', goal: 120 },
    ],
  },
  {
    title: 'over HTTP, by a server of its own and its PostgreSQL',
    measured: [
      { key: 'load', what: 'bulk load', unit: 'a second', goal: 50_000 },
      { key: 'single', what: 'checks one by one, for a second of a core', unit: 'a second', goal: 10_000 },
      { key: 'singleWall', what: '  by the clock, 16 connections', unit: 'a second' },
      { key: 'bare', what: '  a bare node:http, for a second of a core', unit: 'a second' },
      { key: 'singleP99', what: '  p99', unit: 'ms' },
      { key: 'bulk', what: 'checks by the thousand, for a second of a core', unit: 'a second', goal: 100_000 },
      { key: 'bulkWall', what: '  by the clock, 4 connections', unit: 'a second' },
      ...lookupSizes.map((size) => wholeLookup('resources', size)),
      ...lookupSizes.map((size) => wholeLookup('subjects', size)),
      { key: 'writes', what: 'single writes, seen before they are acknowledged', unit: 'a second' },
      { key: 'ownWrites', what: '  of them seen by the next check there', unit: '%', goal: 100 },
      { key: 'elsewhereP50', what: 'seen in another process after that, p50', unit: 'ms' },
      { key: 'elsewhereP99', what: '  p99', unit: 'ms', goal: 20 },
      { key: 'coldStart', what: 'from the start until all is in memory', unit: 's', goal: 3 },
      { key: 'ready', what: '  until the database answers for it', unit: 's' },
      { key: 'resident', what: 'memory of the server, after that start', unit: 'MB' },
      { key: 'residentBefore', what: '  with no relationships', unit: 'MB' },
    ],
  },
]

function lookup(kind: 'resources' | 'subjects', size: number, goal?: number): Measured {
  return { key: `${kind}${size}`, what: kind, unit: 'ms', ...(goal !== undefined && { goal }) }
}

function wholeLookup(kind: 'resources' | 'subjects', size: number): Measured {
  return { key: `${kind}${size}Whole`, what: `${size.toLocaleString('en')} ${kind}, every page`, unit: 'ms' }
}

const isBetterWhenMore = ({ unit }: Measured) => unit === 'a second' || unit === '%'

/** Ours and SpiceDB's side by side; a ratio above 1 is in our favour. `theirs` may lack what it cannot do. */
export function compareFigures(ours: Figures, theirs: Figures): string {
  const heading = `${''.padEnd(nameWidth)}${'Passport'.padStart(19)}${'SpiceDB'.padStart(19)}    ratio`
  const lines = groups.flatMap(({ title, measured }) => [
    title,
    ...measured.filter(({ key }) => key in ours).map((one) => compareFigure(one, ours, theirs)),
  ])
  return [heading, ...lines].join('\n')
}

const nameWidth = 52

function compareFigure(measured: Measured, ours: Figures, theirs: Figures): string {
  const { key, unit, goal } = measured
  const [own = Number.NaN, other] = [ours[key], theirs[key]]
  const found = ours[`${key}Found`]
  const what = found === undefined ? measured.what : `${found.toLocaleString('en')} ${measured.what}`
  const cells = `  ${what}`.padEnd(nameWidth) + shown(own, unit) + (other === undefined ? '' : shown(other, unit))
  const ratio = other === undefined ? '' : ratioOf(measured, own, other)
  const line = `${cells.padEnd(nameWidth + 38)}${ratio.padStart(9)}`
  if (goal === undefined) return line.trimEnd()
  const isMet = isBetterWhenMore(measured) ? own >= goal : own <= goal
  const sign = isBetterWhenMore(measured) ? '≥' : '≤'
  return `${line}   ${isMet ? 'within' : 'MISSED'} ${sign} ${goal.toLocaleString('en')}`
}

const shown = (value: number, unit: string) =>
  `${value === Number.POSITIVE_INFINITY ? `over ${rounded(mostMs)}` : rounded(value)} ${unit.padEnd(8)}`.padStart(19)

const rounded = (value: number) =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 3 : value < 100 ? 1 : 0 })

function ratioOf(measured: Measured, own: number, other: number): string {
  if (other === Number.POSITIVE_INFINITY) return `> ${rounded(mostMs / own)}`
  return rounded(isBetterWhenMore(measured) ? own / other : other / own)
}
