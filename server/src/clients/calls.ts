import { discoverTenant } from '@passport/contract/tenant-discovery'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { type Identify, toActorId } from '../http/caller.ts'
import { createLimiter } from '../http/rate-limit.ts'

/** Enough for a nightly synchronisation, and few enough that a leaked secret does not read everything in a minute. */
const limit = { requests: 600, perSeconds: 60 }
/** Long filters are cut off. */
const maxUrlLength = 500

/** Creates the recorder of an application's calls as an administrator: reads too, which leave no other trace. */
export function createCallRecorder(sql: Sql): Identify['recordClientCall'] {
  const consume = createLimiter(limit)
  return async (client, { method, url }, visit) => {
    await consume(client.clientId)
    await audit.record(sql, {
      action: 'client.called',
      actorId: toActorId(client),
      target: { kind: 'client', id: client.clientId },
      after: { call: `${method} ${redactQuestion(url).slice(0, maxUrlLength)}` },
      visit,
    })
  }
}

/** Removes the local part of the email address in a question for tenant discovery, which uses only the domain. */
function redactQuestion(url: string): string {
  const [path = '', query = ''] = url.split('?')
  if (path !== discoverTenant.path) return url
  const parameters = new URLSearchParams(query)
  for (const [name, value] of parameters) parameters.set(name, value.replace(/^.*@/s, '@'))
  return `${path}?${parameters}`
}
