import * as api from '@passport/contract/org-domains'
import { Created } from '../http/serve.ts'
import type { Room } from '../room.ts'
import { addDomain, proveDomain, removeDomain } from './prove.ts'
import { txtRecords } from './txt-records.ts'

/** The domains of organisations, proved by DNS. */
export const orgDomains: Room = ({ serve }, { sql, config }) => {
  const findTxt = txtRecords(config.dnsResolver)

  serve(api.addOrgDomain, async ({ params, body, ...by }) => {
    const { added, version } = await addDomain(sql, { ...params, ...body }, by)
    return new Created(added, `/passport/admin/orgs/${params.orgId}`, { etag: String(version) })
  })

  serve(api.verifyOrgDomain, ({ params, ...by }) => proveDomain(sql, findTxt, params, by))

  serve(api.deleteOrgDomain, ({ params, ...by }) => removeDomain(sql, params, by))
}
