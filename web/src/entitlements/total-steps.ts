import { findAxisEnd } from '../ui/axis-end.ts'

/** A point of a step function: the total from `at` on. */
export interface TotalPoint {
  at: string
  total: number
}

/** The shown months. */
export interface Period {
  from: Date
  to: Date
}

const startOfMonth = (date: Date, months = 0) => new Date(date.getFullYear(), date.getMonth() + months)

/** The number of months of a chart. */
const monthCount = 12

/** Returns the period that begins some months after the one of a date. */
export const toPeriod = (date: Date, months = 0): Period => ({
  from: startOfMonth(date, months),
  to: startOfMonth(date, months + monthCount),
})

/**
 * Returns the months to show: those since the definition was created, at most ten before the current one, so that at
 * least one future month shows what is scheduled; around the chosen instant if that is outside of them.
 */
export function choosePeriod(createdAt: Date, now: Date, chosen?: Date): Period {
  const age = (now.getFullYear() - createdAt.getFullYear()) * 12 + now.getMonth() - createdAt.getMonth()
  const period = toPeriod(now, -Math.min(Math.max(age + 1, 1), monthCount - 2))
  return !chosen || (chosen >= period.from && chosen < period.to) ? period : toPeriod(chosen, -monthCount / 2)
}

/** Returns the first days of the months of a period. */
export const listMonths = ({ from }: Period): Date[] =>
  Array.from({ length: monthCount }, (_, month) => startOfMonth(from, month))

/** Returns the total at an instant. */
export const totalAt = (points: TotalPoint[], instant: Date): number =>
  points.findLast(({ at }) => Date.parse(at) <= instant.getTime())?.total ?? 0

/** Returns the points of a period; the first has the total at its start. */
export function clipPoints(points: TotalPoint[], { from, to }: Period): { at: Date; total: number }[] {
  const inside = points.filter(({ at }) => Date.parse(at) > from.getTime() && Date.parse(at) < to.getTime())
  return [{ at: from, total: totalAt(points, from) }, ...inside.map(({ at, total }) => ({ at: new Date(at), total }))]
}

/** The size of the drawing, which is stretched to the width of the chart. */
export const drawing = { width: 1000, height: 126 }

/** Returns the place of an instant, from 0 to 1. */
export const toShare = ({ from, to }: Period, instant: Date): number =>
  (instant.getTime() - from.getTime()) / (to.getTime() - from.getTime())

/** Returns the upper end of the axis. */
export const findTop = (points: TotalPoint[], period: Period): number =>
  findAxisEnd(Math.max(...clipPoints(points, period).map(({ total }) => total)))

/** Returns the SVG path of the steps between two instants. */
export function drawSteps(points: TotalPoint[], period: Period, between: Period): string {
  const top = findTop(points, period)
  const x = (instant: Date) => round(toShare(period, instant) * drawing.width)
  const y = (total: number) => round(drawing.height * (1 - total / top))
  const [first, ...steps] = clipPoints(points, between)
  if (!first) return ''
  const moves = steps.map(({ at, total }) => `H${x(at)}V${y(total)}`).join('')
  return `M${x(first.at)} ${y(first.total)}${moves}H${x(between.to)}`
}

const round = (number: number) => Math.round(number * 100) / 100
