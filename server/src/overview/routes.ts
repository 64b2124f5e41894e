import * as api from '@passport/contract/overview'
import { toEntries } from '../audit/entry.ts'
import { listEntriesById } from '../audit/store.ts'
import { defaultBrandName } from '../config.ts'
import type { Feature } from '../feature.ts'
import { type HourRow, readHours } from '../health/activity-store.ts'
import { listDegraded } from '../health/store.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'
import { listUtcDays } from '../utc-days.ts'
import * as store from './store.ts'
import { sumAttempts } from './sum-attempts.ts'

const maxChanges = 5

/** The home page of administrators. */
export const overview: Feature = ({ serve }, { config, sql }) => {
  serve(api.getOverview, async () => {
    const days = listUtcDays(new Date(), api.overviewDays)
    const since = `${days[0]}T00:00:00.000Z`
    const [attempts, { createdByDay, ...users }, state, changeIds, hours, checks] = await Promise.all([
      store.countAttempts(sql, since),
      store.countUsers(sql, since),
      store.readState(sql),
      store.listNewestChanges(sql, maxChanges),
      readHours(sql, since),
      listDegraded(sql),
    ])
    const { byDay, failures, ...signIns } = sumAttempts(attempts)
    const { hasBranding, hasOrg, hasInvited, hasClient, hasPermissions, ...attention } = state
    return {
      users,
      signIns,
      days: days.map((day) => ({
        day,
        ...(byDay.get(day) ?? { succeeded: 0, failed: 0, active: 0 }),
        created: createdByDay[day] ?? 0,
        ...sumHours(hours.filter(({ hour }) => hour.startsWith(day))),
      })),
      failures,
      attention: { ...attention, checks },
      setup: {
        hasProvider: config.entraClouds.length > 0 || config.identityProviders.some(({ kind }) => kind === 'oidc'),
        hasMail: config.mail !== undefined,
        hasBranding: hasBranding || config.brandName !== defaultBrandName,
        hasOrg,
        hasInvited,
        hasClient,
        hasPermissions,
      },
      changes: await toEntries(sql, await listEntriesById(sql, changeIds), (hash) =>
        toPictureUrl(config.publicUrl, hash),
      ),
    }
  })
}

/** Sums the activity of the hours of a day; of sessions, the largest number counts. */
function sumHours(hours: HourRow[]) {
  const sum = (name: 'tokens' | 'errors' | 'requests') => hours.reduce((total, hour) => total + hour[name], 0)
  const sessions = hours.flatMap((hour) => hour.sessions ?? [])
  return {
    sessions: sessions.length > 0 ? Math.max(...sessions) : null,
    tokens: sum('tokens'),
    errors: sum('errors'),
    requests: sum('requests'),
  }
}
