import type { ScimRequest } from '@passport/contract/scim'
import type { StripState } from '../ui/StatusStrip.tsx'

const hourMs = 60 * 60 * 1000
const stepMs = hourMs / 2
const steps = 48

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

export const isFailed = ({ status }: Pick<ScimRequest, 'status'>): boolean => status >= 400

/** Returns the requests of the last 24 hours. */
export const listOfLastDay = <R extends Pick<ScimRequest, 'at'>>(requests: R[], now: number): R[] =>
  requests.filter(({ at }) => now - Date.parse(at) < 24 * hourMs)

/** Returns the last 24 hours in steps of half an hour, oldest first: red with a failed request, empty without any. */
export function createCells(requests: Pick<ScimRequest, 'at' | 'status'>[], now: number) {
  const end = Math.floor(now / stepMs) * stepMs + stepMs
  const byStep = Map.groupBy(requests, ({ at }) => Math.floor((end - Date.parse(at)) / stepMs))
  return Array.from({ length: steps }, (_, index) => {
    const own = byStep.get(steps - 1 - index) ?? []
    const failed = own.filter(isFailed).length
    const from = end - (steps - index) * stepMs
    const state: StripState = own.length === 0 ? null : failed > 0 ? 'down' : 'ok'
    const count = own.length === 1 ? '1 request' : `${own.length} requests`
    const title = `${timeFormat.format(from)}: ${count}${failed > 0 ? `, ${failed} failed` : ''}`
    return { key: String(from), state, title }
  })
}
