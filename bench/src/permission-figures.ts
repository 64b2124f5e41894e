import { lookupSizes } from './permission-data.ts'

/** The timeout of a response, in milliseconds. */
export const timeoutMs = 120_000

/** The figures of one part, by key. The figure of a timeout is infinity. */
export type Figures = Record<string, number>

interface Metric {
  key: string
  label: string
  unit: 'a second' | 'ms' | 's' | 'µs' | 'bytes' | 'MB' | '%'
  /** The minimum where more is better, the maximum where less is better. */
  goal?: number
}

const groups: { title: string; metrics: Metric[] }[] = [
  {
    title: 'in process, per CPU second',
    metrics: [
      { key: 'hits', label: 'checks, yes', unit: 'a second', goal: 50_000 },
      { key: 'hitsP99', label: '  p99', unit: 'ms', goal: 0.2 },
      { key: 'misses', label: 'checks, no', unit: 'a second', goal: 50_000 },
      { key: 'missesP99', label: '  p99', unit: 'ms', goal: 0.2 },
      ...lookupSizes.map((size) => createLookupMetric('resources', size, size === 10_000 ? 40 : undefined)),
      ...lookupSizes.map((size) => createLookupMetric('subjects', size, size === 1000 ? 2 : undefined)),
      { key: 'traceP50', label: 'check with its trace, p50', unit: 'ms' },
      { key: 'traceP99', label: '  p99', unit: 'ms', goal: 1 },
      { key: 'bytes', label: 'memory per relationship', unit: 'bytes', goal: 120 },
    ],
  },
  {
    title: 'over HTTP, by a separate server with its PostgreSQL',
    metrics: [
      { key: 'load', label: 'bulk load', unit: 'a second', goal: 50_000 },
      { key: 'single', label: 'single checks, per CPU second', unit: 'a second', goal: 10_000 },
      { key: 'singleWall', label: '  per second, 16 connections', unit: 'a second' },
      { key: 'bare', label: '  a bare node:http server, per CPU second', unit: 'a second' },
      { key: 'singleP99', label: '  p99', unit: 'ms' },
      { key: 'bulk', label: 'checks in batches of 1,000, per CPU second', unit: 'a second', goal: 100_000 },
      { key: 'bulkWall', label: '  per second, 4 connections', unit: 'a second' },
      ...lookupSizes.map((size) => createPagedLookupMetric('resources', size)),
      ...lookupSizes.map((size) => createPagedLookupMetric('subjects', size)),
      { key: 'writes', label: 'single writes, seen before they are acknowledged', unit: 'a second' },
      { key: 'ownWrites', label: '  seen by the next check in the same process', unit: '%', goal: 100 },
      { key: 'elsewhereP50', label: 'seen in another process, p50', unit: 'ms' },
      { key: 'elsewhereP99', label: '  p99', unit: 'ms', goal: 20 },
      { key: 'coldStart', label: 'from start until all relationships are in memory', unit: 's', goal: 3 },
      { key: 'ready', label: '  until the first check, by the database', unit: 's' },
      { key: 'resident', label: 'memory of the server after the start', unit: 'MB' },
      { key: 'residentBefore', label: '  with no relationships', unit: 'MB' },
    ],
  },
]

function createLookupMetric(kind: 'resources' | 'subjects', size: number, goal?: number): Metric {
  return { key: `${kind}${size}`, label: kind, unit: 'ms', ...(goal !== undefined && { goal }) }
}

function createPagedLookupMetric(kind: 'resources' | 'subjects', size: number): Metric {
  return { key: `${kind}${size}Whole`, label: `${size.toLocaleString('en')} ${kind}, every page`, unit: 'ms' }
}

const isMoreBetter = ({ unit }: Metric) => unit === 'a second' || unit === '%'

/**
 * Formats the figures of Passport and SpiceDB side by side; a ratio above 1 favours Passport. `spicedb` may lack
 * unsupported figures.
 */
export function compareFigures(passport: Figures, spicedb: Figures): string {
  const heading = `${''.padEnd(nameWidth)}${'Passport'.padStart(19)}${'SpiceDB'.padStart(19)}    ratio`
  const lines = groups.flatMap(({ title, metrics }) => [
    title,
    ...metrics.filter(({ key }) => key in passport).map((metric) => compareFigure(metric, passport, spicedb)),
  ])
  return [heading, ...lines].join('\n')
}

const nameWidth = 52

function compareFigure(metric: Metric, passport: Figures, spicedb: Figures): string {
  const { key, unit, goal } = metric
  const [passportValue = Number.NaN, spicedbValue] = [passport[key], spicedb[key]]
  const resultCount = passport[`${key}Found`]
  const label = resultCount === undefined ? metric.label : `${resultCount.toLocaleString('en')} ${metric.label}`
  const cells =
    `  ${label}`.padEnd(nameWidth) +
    formatFigure(passportValue, unit) +
    (spicedbValue === undefined ? '' : formatFigure(spicedbValue, unit))
  const ratio = spicedbValue === undefined ? '' : formatRatio(metric, passportValue, spicedbValue)
  const line = `${cells.padEnd(nameWidth + 38)}${ratio.padStart(9)}`
  if (goal === undefined) return line.trimEnd()
  const isMet = isMoreBetter(metric) ? passportValue >= goal : passportValue <= goal
  const comparison = isMoreBetter(metric) ? '≥' : '≤'
  return `${line}   ${isMet ? 'within' : 'MISSED'} ${comparison} ${goal.toLocaleString('en')}`
}

const formatFigure = (value: number, unit: string) =>
  `${value === Number.POSITIVE_INFINITY ? `over ${formatNumber(timeoutMs)}` : formatNumber(value)} ${unit.padEnd(8)}`.padStart(
    19,
  )

const formatNumber = (value: number) =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 3 : value < 100 ? 1 : 0 })

function formatRatio(metric: Metric, passportValue: number, spicedbValue: number): string {
  if (spicedbValue === Number.POSITIVE_INFINITY) return `> ${formatNumber(timeoutMs / passportValue)}`
  return formatNumber(isMoreBetter(metric) ? passportValue / spicedbValue : spicedbValue / passportValue)
}
