import type { Health, HealthCheck, HealthSample } from '@passport/contract/health'
import { describeCheck } from '../directory/check-words.ts'

/** Returns the headline of the whole: “Degraded: Email is slow”. */
export function summarise({ checks }: Health, nameProvider: (id: string) => string): string {
  const list = (status: HealthCheck['status']) =>
    checks.filter((check) => check.status === status).map(({ name }) => describeCheck(name, nameProvider).title)
  const [down, slow] = [list('down'), list('slow')]
  if (down.length + slow.length === 0) return 'Everything works'
  const parts = [
    down.length > 0 && `${down.join(', ')} ${down.length > 1 ? 'are' : 'is'} down`,
    slow.length > 0 && `${slow.join(', ')} ${slow.length > 1 ? 'are' : 'is'} slow`,
  ]
  return `Degraded: ${parts.filter(Boolean).join('; ')}`
}

/** Formats a duration: “0.4 ms”, “84 ms”, “2.4 s”, “12 min”; a dash without one. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 90_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}

/** Formats a size: “212 MB”. */
export const formatMegabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/** Formats the time since an instant: “4 min”, “6 h”, “12 d”. */
export function formatUptime(startedAt: string, now: number): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(startedAt)) / 60_000))
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`
}

const slotMs = 30 * 60_000
const slotCount = 48

/** A half hour of the last day with its sample; undefined without one. */
export interface Slot {
  at: string
  sample: HealthSample | undefined
}

/** Returns the half hours of the last 24 hours with their samples, oldest first. */
export function fillSlots(samples: HealthSample[], now: number): Slot[] {
  const byTime = new Map(samples.map((sample) => [sample.at, sample]))
  const last = Math.floor(now / slotMs) * slotMs
  return Array.from({ length: slotCount }, (_, index) => {
    const at = new Date(last - (slotCount - 1 - index) * slotMs).toISOString()
    return { at, sample: byTime.get(at) }
  })
}

/** Describes the history of a check: “Email in 24 hours: slow in 5 half hours, down in none, no data in 12”. */
export function describeHistory(title: string, slots: Slot[]): string {
  const count = (status: string | undefined) => slots.filter(({ sample }) => sample?.status === status).length
  if (count('ok') === slots.length) return `${title}: up in all of 24 hours`
  const parts = [
    count('down') > 0 && `down in ${count('down')}`,
    count('slow') > 0 && `slow in ${count('slow')}`,
    `up in ${count('ok')}`,
    count(undefined) > 0 && `no data in ${count(undefined)}`,
  ]
  return `${title}, half hours of a day: ${parts.filter(Boolean).join(', ')}`
}
