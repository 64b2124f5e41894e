import * as api from '@passport/contract/org-domains'
import type { Feature } from '../feature.ts'
import { Created } from '../http/serve.ts'
import { createTxtResolver } from './txt-records.ts'
import { addDomain, removeDomain, verifyDomain } from './verify-domains.ts'

/** The domains of organisations, verified by DNS. */
export const serveDomains: Feature = ({ serve }, { sql, config }) => {
  const findTxt = createTxtResolver(config.dnsResolver)

  serve(api.addOrgDomain, async ({ params, body, ...context }) => {
    const { added, version } = await addDomain(sql, { ...params, ...body }, context)
    return new Created(added, `/passport/admin/orgs/${params.orgId}`, { etag: String(version) })
  })

  serve(api.verifyOrgDomain, ({ params, ...context }) => verifyDomain(sql, findTxt, params, context))

  serve(api.deleteOrgDomain, ({ params, ...context }) => removeDomain(sql, params, context))
}
