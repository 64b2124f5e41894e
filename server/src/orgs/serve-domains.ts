import * as api from '@passport/contract/org-domains'
import type { Feature } from '../feature.ts'
import { Created } from '../http/serve.ts'
import { createTxtResolver } from './txt-records.ts'
import { addDomain, removeDomain, verifyDomain } from './verify-domains.ts'

/** The domains of organisations, verified by DNS. */
export const serveDomains: Feature = ({ serve }, { sql, config }) => {
  const findTxt = createTxtResolver(config.dnsResolver)

  serve(api.addOrgDomain, async ({ params, body, ...by }) => {
    const { added, version } = await addDomain(sql, { ...params, ...body }, by)
    return new Created(added, `/passport/admin/orgs/${params.orgId}`, { etag: String(version) })
  })

  serve(api.verifyOrgDomain, ({ params, ...by }) => verifyDomain(sql, findTxt, params, by))

  serve(api.deleteOrgDomain, ({ params, ...by }) => removeDomain(sql, params, by))
}
