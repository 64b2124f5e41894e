import { type HomeRealmQuestion, parseHomeRealm } from '@passport/contract/home-realm'
import * as api from '@passport/contract/tenant-discovery'
import type { Feature } from '../feature.ts'
import { decideSignIn } from './decide-sign-in.ts'
import { describeTenants } from './discover-tenant.ts'
import { createAskClouds } from './tenant-answers.ts'

/** The tools of administrators: the tenants of a domain, and where sign-ins lead. */
export const serveTenants: Feature = ({ serve }, services) => {
  const { sql, config } = services
  const askClouds = createAskClouds(services)

  serve(api.discoverTenant, async ({ query: { q, refresh } }) => {
    // The contract has parsed it before.
    const question = parseHomeRealm(q) as HomeRealmQuestion
    return describeTenants(sql, config, question, await askClouds(question, { refresh }))
  })

  serve(api.simulateSignIns, async ({ body }) => {
    const decisions: api.SignInDecision[] = []
    for (const email of body.emails) decisions.push({ email, ...(await decideSignIn(services, email)) })
    return decisions
  })
}
